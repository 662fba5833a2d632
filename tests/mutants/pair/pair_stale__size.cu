/* pair_stale__size.cu - the same on a GPU */
#include "pair_stale__size.c"
