/* norm_value__mean_not_subtracted.cu - the same on a GPU */
#include "norm_value__mean_not_subtracted.c"
