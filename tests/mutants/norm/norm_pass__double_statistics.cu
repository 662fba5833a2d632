/* norm_pass__double_statistics.cu - the same on a GPU */
#include "norm_pass__double_statistics.c"
