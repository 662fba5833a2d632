/* whole_value__rounded_to_integer.cu - the same on a GPU */
#include "whole_value__rounded_to_integer.c"
