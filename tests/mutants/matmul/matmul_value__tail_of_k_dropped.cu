/* matmul_value__tail_of_k_dropped.cu - the same on a GPU */
#include "matmul_value__tail_of_k_dropped.c"
