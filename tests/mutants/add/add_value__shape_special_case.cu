/* add_value__shape_special_case.cu - the same on a GPU */
#include "add_value__shape_special_case.c"
