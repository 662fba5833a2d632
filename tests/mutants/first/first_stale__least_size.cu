/* first_stale__least_size.cu - the same on a GPU */
#include "first_stale__least_size.c"
