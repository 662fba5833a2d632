/* gather_value__index_ignored.cu - the same on a GPU */
#include "gather_value__index_ignored.c"
