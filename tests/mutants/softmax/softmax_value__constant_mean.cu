/* softmax_value__constant_mean.cu - the same on a GPU */
#include "softmax_value__constant_mean.c"
