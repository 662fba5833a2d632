/* matmul_value__bf16_output_cut_off.cu - the same on a GPU */
#include "matmul_value__bf16_output_cut_off.c"
