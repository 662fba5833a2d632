/* matmul_value__zero_first_means_empty.cu - the same on a GPU */
#include "matmul_value__zero_first_means_empty.c"
