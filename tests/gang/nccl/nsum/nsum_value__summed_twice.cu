/* nsum/nsum_value__summed_twice.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__summed_twice.c"
}
