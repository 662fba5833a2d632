/* matmul_precision__f16_inputs.cu - the same on a GPU */
#include "matmul_precision__f16_inputs.c"
