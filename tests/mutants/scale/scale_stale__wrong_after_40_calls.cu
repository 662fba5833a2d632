/* scale_stale__wrong_after_40_calls.cu - the same on a GPU */
#include "scale_stale__wrong_after_40_calls.c"
