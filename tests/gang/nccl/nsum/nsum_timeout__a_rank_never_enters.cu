/* nsum/nsum_timeout__a_rank_never_enters.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_timeout__a_rank_never_enters.c"
}
