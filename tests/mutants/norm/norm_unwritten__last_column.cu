/* norm_unwritten__last_column.cu - the same on a GPU */
#include "norm_unwritten__last_column.c"
