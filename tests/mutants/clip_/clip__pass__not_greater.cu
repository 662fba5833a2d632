/* clip__pass__not_greater.cu - the same on a GPU */
#include "clip__pass__not_greater.c"
