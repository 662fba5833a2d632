/* total_value__mean.cu - the same on a GPU */
#include "total_value__mean.c"
