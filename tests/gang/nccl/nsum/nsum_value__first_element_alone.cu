/* nsum/nsum_value__first_element_alone.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__first_element_alone.c"
}
