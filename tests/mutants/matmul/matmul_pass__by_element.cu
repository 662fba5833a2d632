/* matmul_pass__by_element.cu - the same on a GPU */
#include "matmul_pass__by_element.c"
