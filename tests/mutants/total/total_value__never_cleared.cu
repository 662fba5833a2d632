/* total_value__never_cleared.cu - the same on a GPU */
#include "total_value__never_cleared.c"
