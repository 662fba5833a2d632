/* life_returned__seven.cu - the same on a GPU */
#include "life_returned__seven.c"
