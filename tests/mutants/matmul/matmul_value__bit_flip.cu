/* matmul_value__bit_flip.cu - the same on a GPU */
#include "matmul_value__bit_flip.c"
