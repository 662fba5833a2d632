/* norm_pass__shifted.cu - the same on a GPU */
#include "norm_pass__shifted.c"
