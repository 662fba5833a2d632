/* add_value__broadcast_ignored.cu - the same on a GPU */
#include "add_value__broadcast_ignored.c"
