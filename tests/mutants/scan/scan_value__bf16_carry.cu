/* scan_value__bf16_carry.cu - the same on a GPU */
#include "scan_value__bf16_carry.c"
