/* norm_guard__a_kilobyte_past_workspace.cu - the same on a GPU */
#include "norm_guard__a_kilobyte_past_workspace.c"
