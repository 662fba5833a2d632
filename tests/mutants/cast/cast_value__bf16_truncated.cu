/* cast_value__bf16_truncated.cu - the same on a GPU */
#include "cast_value__bf16_truncated.c"
