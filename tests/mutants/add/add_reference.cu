/* add_reference.cu - the same on a GPU */
#include "add_reference.c"
