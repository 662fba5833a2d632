/* nsum/nsum_timeout__a_rank_enters_twice.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_timeout__a_rank_enters_twice.c"
}
