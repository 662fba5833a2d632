/* norm_guard__workspace.cu - the same on a GPU */
#include "norm_guard__workspace.c"
