/* cast_pass__elements.cu - the same on a GPU */
#include "cast_pass__elements.c"
