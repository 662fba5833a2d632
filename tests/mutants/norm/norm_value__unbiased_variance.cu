/* norm_value__unbiased_variance.cu - the same on a GPU */
#include "norm_value__unbiased_variance.c"
