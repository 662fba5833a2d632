/* matmul_unsupported__odd_shapes.cu - the same on a GPU */
#include "matmul_unsupported__odd_shapes.c"
