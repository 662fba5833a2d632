/* cast_dtype__as_input.cu - the same on a GPU */
#include "cast_dtype__as_input.c"
