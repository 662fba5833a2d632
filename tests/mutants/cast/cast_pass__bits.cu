/* cast_pass__bits.cu - the same on a GPU */
#include "cast_pass__bits.c"
