/* norm_stale__kept_statistics.cu - the same on a GPU */
#include "norm_stale__kept_statistics.c"
