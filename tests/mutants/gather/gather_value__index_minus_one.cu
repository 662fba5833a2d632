/* gather_value__index_minus_one.cu - the same on a GPU */
#include "gather_value__index_minus_one.c"
