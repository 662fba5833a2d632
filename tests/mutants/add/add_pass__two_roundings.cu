/* add_pass__two_roundings.cu - the same on a GPU */
#include "add_pass__two_roundings.c"
