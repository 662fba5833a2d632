/* matmul_precision__bf16_partial_sums.cu - the same on a GPU */
#include "matmul_precision__bf16_partial_sums.c"
