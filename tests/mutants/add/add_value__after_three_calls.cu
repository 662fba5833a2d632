/* add_value__after_three_calls.cu - the same on a GPU */
#include "add_value__after_three_calls.c"
