/* matmul_pass__packed.cu - the same on a GPU */
#include "matmul_pass__packed.c"
