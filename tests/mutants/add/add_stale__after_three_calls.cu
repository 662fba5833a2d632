/* add_stale__after_three_calls.cu - the same on a GPU */
#include "add_stale__after_three_calls.c"
