/* whole_value__integers_saturated.cu - the same on a GPU */
#include "whole_value__integers_saturated.c"
