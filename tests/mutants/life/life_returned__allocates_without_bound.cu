/* life_returned__allocates_without_bound.cu - the same on a GPU */
#include "life_returned__allocates_without_bound.c"
