/* matmul_value__good_shapes_only.cu - the same on a GPU */
#include "matmul_value__good_shapes_only.c"
