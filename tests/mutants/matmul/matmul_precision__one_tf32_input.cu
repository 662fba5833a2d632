/* matmul_precision__one_tf32_input.cu - the same on a GPU */
#include "matmul_precision__one_tf32_input.c"
