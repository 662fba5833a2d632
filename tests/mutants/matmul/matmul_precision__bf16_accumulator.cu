/* matmul_precision__bf16_accumulator.cu - the same on a GPU */
#include "matmul_precision__bf16_accumulator.c"
