/* faint_weak__half_of_it.cu - the same on a GPU */
#include "faint_weak__half_of_it.c"
