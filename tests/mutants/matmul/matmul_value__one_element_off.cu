/* matmul_value__one_element_off.cu - the same on a GPU */
#include "matmul_value__one_element_off.c"
