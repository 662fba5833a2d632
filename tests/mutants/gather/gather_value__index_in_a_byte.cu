/* gather_value__index_in_a_byte.cu - the same on a GPU */
#include "gather_value__index_in_a_byte.c"
