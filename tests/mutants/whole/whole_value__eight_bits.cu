/* whole_value__eight_bits.cu - the same on a GPU */
#include "whole_value__eight_bits.c"
