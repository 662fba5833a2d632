/* nsum/nsum_returned__by_one_rank.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_returned__by_one_rank.c"
}
