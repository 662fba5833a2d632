/* matmul_pass__pairwise.cu - the same on a GPU */
#include "matmul_pass__pairwise.c"
