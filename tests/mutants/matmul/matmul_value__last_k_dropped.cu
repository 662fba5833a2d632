/* matmul_value__last_k_dropped.cu - the same on a GPU */
#include "matmul_value__last_k_dropped.c"
