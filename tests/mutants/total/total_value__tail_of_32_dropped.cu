/* total_value__tail_of_32_dropped.cu - the same on a GPU */
#include "total_value__tail_of_32_dropped.c"
