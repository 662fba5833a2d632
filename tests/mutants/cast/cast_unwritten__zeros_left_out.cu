/* cast_unwritten__zeros_left_out.cu - the same on a GPU */
#include "cast_unwritten__zeros_left_out.c"
