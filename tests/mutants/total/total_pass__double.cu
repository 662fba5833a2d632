/* total_pass__double.cu - the same on a GPU */
#include "total_pass__double.c"
