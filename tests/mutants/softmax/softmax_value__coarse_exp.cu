/* softmax_value__coarse_exp.cu - the same on a GPU */
#include "softmax_value__coarse_exp.c"
