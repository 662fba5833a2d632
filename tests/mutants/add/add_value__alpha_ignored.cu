/* add_value__alpha_ignored.cu - the same on a GPU */
#include "add_value__alpha_ignored.c"
