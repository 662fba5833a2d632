/* cast_value__f16_saturated.cu - the same on a GPU */
#include "cast_value__f16_saturated.c"
