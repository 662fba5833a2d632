/* nsum/nsum_returned__after_all.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_returned__after_all.c"
}
