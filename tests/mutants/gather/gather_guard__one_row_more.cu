/* gather_guard__one_row_more.cu - the same on a GPU */
#include "gather_guard__one_row_more.c"
