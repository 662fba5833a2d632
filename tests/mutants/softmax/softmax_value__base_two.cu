/* softmax_value__base_two.cu - the same on a GPU */
#include "softmax_value__base_two.c"
