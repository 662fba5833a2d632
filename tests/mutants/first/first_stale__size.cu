/* first_stale__size.cu - the same on a GPU */
#include "first_stale__size.c"
