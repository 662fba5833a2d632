/* total_value__workspace_not_cleared.cu - the same on a GPU */
#include "total_value__workspace_not_cleared.c"
