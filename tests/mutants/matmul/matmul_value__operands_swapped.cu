/* matmul_value__operands_swapped.cu - the same on a GPU */
#include "matmul_value__operands_swapped.c"
