/* matmul_value__element_of_fractions.cu - the same on a GPU */
#include "matmul_value__element_of_fractions.c"
