/* scale_stale__after_100_calls.cu - the same on a GPU */
#include "scale_stale__after_100_calls.c"
