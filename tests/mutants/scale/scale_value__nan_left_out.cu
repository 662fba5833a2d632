/* scale_value__nan_left_out.cu - the same on a GPU */
#include "scale_value__nan_left_out.c"
