/* clip__value__large_is_low.cu - the same on a GPU */
#include "clip__value__large_is_low.c"
