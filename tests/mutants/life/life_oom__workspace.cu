/* life_oom__workspace.cu - the same on a GPU */
#include "life_oom__workspace.c"
