/* total_precision__bf16_running_sum.cu - the same on a GPU */
#include "total_precision__bf16_running_sum.c"
