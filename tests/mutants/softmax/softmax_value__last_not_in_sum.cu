/* softmax_value__last_not_in_sum.cu - the same on a GPU */
#include "softmax_value__last_not_in_sum.c"
