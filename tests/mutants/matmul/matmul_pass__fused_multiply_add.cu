/* matmul_pass__fused_multiply_add.cu - the same on a GPU */
#include "matmul_pass__fused_multiply_add.c"
