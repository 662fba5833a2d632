/* add_value__stride_ignored.cu - the same on a GPU */
#include "add_value__stride_ignored.c"
