/* norm_value__bf16_statistics.cu - the same on a GPU */
#include "norm_value__bf16_statistics.c"
