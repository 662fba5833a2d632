/* matmul_precision__tf32_inputs.cu - the same on a GPU */
#include "matmul_precision__tf32_inputs.c"
