/* tally_stale__first_count.cu - the same on a GPU */
#include "tally_stale__first_count.c"
