/* pack_shape__itself.cu - the same on a GPU */
#include "pack_shape__itself.c"
