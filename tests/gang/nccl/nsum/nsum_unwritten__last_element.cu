/* nsum/nsum_unwritten__last_element.cu - as the C file */
#include "nsum.h"

extern "C" {
#include "nsum_unwritten__last_element.c"
}
