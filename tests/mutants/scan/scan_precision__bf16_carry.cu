/* scan_precision__bf16_carry.cu - the same on a GPU */
#include "scan_precision__bf16_carry.c"
