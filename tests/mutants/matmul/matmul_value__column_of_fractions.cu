/* matmul_value__column_of_fractions.cu - the same on a GPU */
#include "matmul_value__column_of_fractions.c"
