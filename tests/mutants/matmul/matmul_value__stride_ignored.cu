/* matmul_value__stride_ignored.cu - the same on a GPU */
#include "matmul_value__stride_ignored.c"
