/* matmul_pass__four_sums.cu - the same on a GPU */
#include "matmul_pass__four_sums.c"
