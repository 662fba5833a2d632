/* nsum/nsum_value__one_rank_own.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__one_rank_own.c"
}
