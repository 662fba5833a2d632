/* quotient_stale__kept_by_the_sum.cu - the same on a GPU */
#include "quotient_stale__kept_by_the_sum.c"
