/* nsum/nsum_mutated__in_place.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_mutated__in_place.c"
}
