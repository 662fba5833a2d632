/* nsum/nsum_value__product_instead.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__product_instead.c"
}
