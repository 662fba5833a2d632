/* norm_value__weight_ignored.cu - the same on a GPU */
#include "norm_value__weight_ignored.c"
