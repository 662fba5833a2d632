/* quotient_reference.cu - the same on a GPU */
#include "quotient_reference.c"
