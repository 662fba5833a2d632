/* norm_pass__two_passes.cu - the same on a GPU */
#include "norm_pass__two_passes.c"
