/* softmax_pass__exp2.cu - the same on a GPU */
#include "softmax_pass__exp2.c"
