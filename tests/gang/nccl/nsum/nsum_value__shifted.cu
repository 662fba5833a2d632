/* nsum/nsum_value__shifted.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__shifted.c"
}
