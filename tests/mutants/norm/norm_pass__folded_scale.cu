/* norm_pass__folded_scale.cu - the same on a GPU */
#include "norm_pass__folded_scale.c"
