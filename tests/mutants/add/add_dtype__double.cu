/* add_dtype__double.cu - the same on a GPU */
#include "add_dtype__double.c"
