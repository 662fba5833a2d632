/* norm_guard__far_behind_workspace.cu - the same on a GPU */
#include "norm_guard__far_behind_workspace.c"
