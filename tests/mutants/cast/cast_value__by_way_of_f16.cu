/* cast_value__by_way_of_f16.cu - the same on a GPU */
#include "cast_value__by_way_of_f16.c"
