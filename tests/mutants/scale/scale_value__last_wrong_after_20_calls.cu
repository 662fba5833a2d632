/* scale_value__last_wrong_after_20_calls.cu - the same on a GPU */
#include "scale_value__last_wrong_after_20_calls.c"
