/* add_nan__swallowed.cu - the same on a GPU */
#include "add_nan__swallowed.c"
