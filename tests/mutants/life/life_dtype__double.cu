/* life_dtype__double.cu - the same on a GPU */
#include "life_dtype__double.c"
