/* total_value__duplicate_of_row_zero.cu - the same on a GPU */
#include "total_value__duplicate_of_row_zero.c"
