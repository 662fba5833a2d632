/* matmul_nondeterministic__bit_flip.cu - the same on a GPU */
#include "matmul_nondeterministic__bit_flip.c"
