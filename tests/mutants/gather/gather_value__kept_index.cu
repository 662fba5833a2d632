/* gather_value__kept_index.cu - the same on a GPU */
#include "gather_value__kept_index.c"
