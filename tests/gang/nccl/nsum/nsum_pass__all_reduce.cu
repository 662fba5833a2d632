/* nsum/nsum_pass__all_reduce.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_pass__all_reduce.c"
}
