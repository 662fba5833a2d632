/* norm_pass__welford.cu - the same on a GPU */
#include "norm_pass__welford.c"
