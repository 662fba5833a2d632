/* pack_shape__one_row_for_all.cu - the same on a GPU */
#include "pack_shape__one_row_for_all.c"
