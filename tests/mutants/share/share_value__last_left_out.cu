/* share_value__last_left_out.cu - the same on a GPU */
#include "share_value__last_left_out.c"
