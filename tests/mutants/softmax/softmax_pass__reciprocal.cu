/* softmax_pass__reciprocal.cu - the same on a GPU */
#include "softmax_pass__reciprocal.c"
