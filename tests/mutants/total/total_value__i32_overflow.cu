/* total_value__i32_overflow.cu - the same on a GPU */
#include "total_value__i32_overflow.c"
