/* matmul_value__one_term_missing.cu - the same on a GPU */
#include "matmul_value__one_term_missing.c"
