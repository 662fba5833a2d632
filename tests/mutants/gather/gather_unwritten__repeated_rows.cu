/* gather_unwritten__repeated_rows.cu - the same on a GPU */
#include "gather_unwritten__repeated_rows.c"
