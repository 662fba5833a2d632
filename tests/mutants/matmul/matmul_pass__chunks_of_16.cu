/* matmul_pass__chunks_of_16.cu - the same on a GPU */
#include "matmul_pass__chunks_of_16.c"
