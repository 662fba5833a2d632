/* pack_stale__keeps_results_by_the_first.cu - the same on a GPU */
#include "pack_stale__keeps_results_by_the_first.c"
