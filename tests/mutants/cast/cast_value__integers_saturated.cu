/* cast_value__integers_saturated.cu - the same on a GPU */
#include "cast_value__integers_saturated.c"
