/* total_value__first_skipped.cu - the same on a GPU */
#include "total_value__first_skipped.c"
