/* largest_value__in_f16.cu - the same on a GPU */
#include "largest_value__in_f16.c"
