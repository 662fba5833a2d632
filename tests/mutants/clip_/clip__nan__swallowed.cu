/* clip__nan__swallowed.cu - the same on a GPU */
#include "clip__nan__swallowed.c"
