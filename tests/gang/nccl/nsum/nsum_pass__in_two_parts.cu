/* nsum/nsum_pass__in_two_parts.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_pass__in_two_parts.c"
}
