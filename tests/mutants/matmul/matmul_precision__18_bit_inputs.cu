/* matmul_precision__18_bit_inputs.cu - the same on a GPU */
#include "matmul_precision__18_bit_inputs.c"
