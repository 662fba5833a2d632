/* scale_value__after_100_calls.cu - the same on a GPU */
#include "scale_value__after_100_calls.c"
