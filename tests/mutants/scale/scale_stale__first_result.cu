/* scale_stale__first_result.cu - the same on a GPU */
#include "scale_stale__first_result.c"
