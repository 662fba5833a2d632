/* add_returned__odd_sizes.cu - the same on a GPU */
#include "add_returned__odd_sizes.c"
