/* softmax_pass__kept_exponentials.cu - the same on a GPU */
#include "softmax_pass__kept_exponentials.c"
