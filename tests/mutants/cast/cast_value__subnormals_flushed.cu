/* cast_value__subnormals_flushed.cu - the same on a GPU */
#include "cast_value__subnormals_flushed.c"
