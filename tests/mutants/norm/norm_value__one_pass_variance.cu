/* norm_value__one_pass_variance.cu - the same on a GPU */
#include "norm_value__one_pass_variance.c"
