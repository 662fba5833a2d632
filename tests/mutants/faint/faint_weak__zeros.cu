/* faint_weak__zeros.cu - the same on a GPU */
#include "faint_weak__zeros.c"
