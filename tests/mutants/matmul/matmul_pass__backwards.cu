/* matmul_pass__backwards.cu - the same on a GPU */
#include "matmul_pass__backwards.c"
