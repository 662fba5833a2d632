/* tsum/tsum_value__stale_while_timed.cu - as the C file */
#include "tsum.h"

extern "C" {
#include "tsum_value__stale_while_timed.c"
}
