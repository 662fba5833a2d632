/* clip__value__upper_bound_ignored.cu - the same on a GPU */
#include "clip__value__upper_bound_ignored.c"
