/* nsum/nsum_value__own_x.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__own_x.c"
}
