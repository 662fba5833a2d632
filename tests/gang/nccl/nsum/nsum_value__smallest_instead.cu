/* nsum/nsum_value__smallest_instead.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__smallest_instead.c"
}
