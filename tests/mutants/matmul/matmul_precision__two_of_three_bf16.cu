/* matmul_precision__two_of_three_bf16.cu - the same on a GPU */
#include "matmul_precision__two_of_three_bf16.c"
