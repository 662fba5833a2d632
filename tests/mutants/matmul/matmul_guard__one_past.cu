/* matmul_guard__one_past.cu - the same on a GPU */
#include "matmul_guard__one_past.c"
