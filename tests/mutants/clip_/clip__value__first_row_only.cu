/* clip__value__first_row_only.cu - the same on a GPU */
#include "clip__value__first_row_only.c"
