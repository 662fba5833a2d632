/* add_value__minus.cu - the same on a GPU */
#include "add_value__minus.c"
