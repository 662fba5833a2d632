/* softmax_pass__log_of_sum.cu - the same on a GPU */
#include "softmax_pass__log_of_sum.c"
