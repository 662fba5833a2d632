/* quotient_pass__integers.cu - the same on a GPU */
#include "quotient_pass__integers.c"
