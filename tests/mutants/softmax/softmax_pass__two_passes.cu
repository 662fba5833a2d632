/* softmax_pass__two_passes.cu - the same on a GPU */
#include "softmax_pass__two_passes.c"
