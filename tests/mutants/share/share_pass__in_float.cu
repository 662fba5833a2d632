/* share_pass__in_float.cu - the same on a GPU */
#include "share_pass__in_float.c"
