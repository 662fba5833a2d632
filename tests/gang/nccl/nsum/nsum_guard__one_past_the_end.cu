/* nsum/nsum_guard__one_past_the_end.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_guard__one_past_the_end.c"
}
