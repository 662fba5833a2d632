/* softmax_value__sum_of_row_before.cu - the same on a GPU */
#include "softmax_value__sum_of_row_before.c"
