/* smooth_precision__bf16_truncated.cu - the same on a GPU */
#include "smooth_precision__bf16_truncated.c"
