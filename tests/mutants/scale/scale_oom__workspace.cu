/* scale_oom__workspace.cu - the same on a GPU */
#include "scale_oom__workspace.c"
