/* largest_reference.cu - the same on a GPU */
#include "largest_reference.c"
