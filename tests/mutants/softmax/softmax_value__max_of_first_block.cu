/* softmax_value__max_of_first_block.cu - the same on a GPU */
#include "softmax_value__max_of_first_block.c"
