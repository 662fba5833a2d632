/* matmul_precision__f16_accumulator.cu - the same on a GPU */
#include "matmul_precision__f16_accumulator.c"
