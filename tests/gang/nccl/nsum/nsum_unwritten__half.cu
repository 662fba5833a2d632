/* nsum/nsum_unwritten__half.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_unwritten__half.c"
}
