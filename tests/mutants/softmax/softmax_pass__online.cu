/* softmax_pass__online.cu - the same on a GPU */
#include "softmax_pass__online.c"
