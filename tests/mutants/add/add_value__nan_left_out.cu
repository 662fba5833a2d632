/* add_value__nan_left_out.cu - the same on a GPU */
#include "add_value__nan_left_out.c"
