/* matmul_pass__double.cu - the same on a GPU */
#include "matmul_pass__double.c"
