/* matmul_pass__kahan.cu - the same on a GPU */
#include "matmul_pass__kahan.c"
