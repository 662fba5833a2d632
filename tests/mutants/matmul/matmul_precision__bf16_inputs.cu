/* matmul_precision__bf16_inputs.cu - the same on a GPU */
#include "matmul_precision__bf16_inputs.c"
