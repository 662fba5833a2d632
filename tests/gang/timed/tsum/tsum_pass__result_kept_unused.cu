/* tsum/tsum_pass__result_kept_unused.cu - as the C file */
#include "tsum.h"

extern "C" {
#include "tsum_pass__result_kept_unused.c"
}
