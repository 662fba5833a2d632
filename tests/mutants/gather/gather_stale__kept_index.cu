/* gather_stale__kept_index.cu - the same on a GPU */
#include "gather_stale__kept_index.c"
