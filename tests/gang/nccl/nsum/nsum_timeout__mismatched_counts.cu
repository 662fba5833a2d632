/* nsum/nsum_timeout__mismatched_counts.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_timeout__mismatched_counts.c"
}
