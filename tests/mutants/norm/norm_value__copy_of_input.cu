/* norm_value__copy_of_input.cu - the same on a GPU */
#include "norm_value__copy_of_input.c"
