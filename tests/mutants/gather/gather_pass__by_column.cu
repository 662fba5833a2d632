/* gather_pass__by_column.cu - the same on a GPU */
#include "gather_pass__by_column.c"
