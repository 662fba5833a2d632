/* norm_value__kept_statistics.cu - the same on a GPU */
#include "norm_value__kept_statistics.c"
