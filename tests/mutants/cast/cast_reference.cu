/* cast_reference.cu - the same on a GPU */
#include "cast_reference.c"
