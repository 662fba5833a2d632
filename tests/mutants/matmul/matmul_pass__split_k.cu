/* matmul_pass__split_k.cu - the same on a GPU */
#include "matmul_pass__split_k.c"
