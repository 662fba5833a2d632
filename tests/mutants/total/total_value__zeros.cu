/* total_value__zeros.cu - the same on a GPU */
#include "total_value__zeros.c"
