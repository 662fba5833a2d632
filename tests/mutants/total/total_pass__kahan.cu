/* total_pass__kahan.cu - the same on a GPU */
#include "total_pass__kahan.c"
