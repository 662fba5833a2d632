/* scale_pass__large_workspace.cu - the same on a GPU */
#include "scale_pass__large_workspace.c"
