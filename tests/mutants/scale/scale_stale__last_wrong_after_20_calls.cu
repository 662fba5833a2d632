/* scale_stale__last_wrong_after_20_calls.cu - the same on a GPU */
#include "scale_stale__last_wrong_after_20_calls.c"
