/* quotient_value__in_32_bits.cu - the same on a GPU */
#include "quotient_value__in_32_bits.c"
