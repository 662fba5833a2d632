/* add_value__neighbour_of_last.cu - the same on a GPU */
#include "add_value__neighbour_of_last.c"
