/* scale_stale__knows_them_by_the_first.cu - the same on a GPU */
#include "scale_stale__knows_them_by_the_first.c"
