/* first_stale__factor.cu - the same on a GPU */
#include "first_stale__factor.c"
