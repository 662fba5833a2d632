/* scale_value__after_40_calls.cu - the same on a GPU */
#include "scale_value__after_40_calls.c"
