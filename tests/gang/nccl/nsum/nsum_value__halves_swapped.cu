/* nsum/nsum_value__halves_swapped.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_value__halves_swapped.c"
}
