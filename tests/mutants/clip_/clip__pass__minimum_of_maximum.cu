/* clip__pass__minimum_of_maximum.cu - the same on a GPU */
#include "clip__pass__minimum_of_maximum.c"
