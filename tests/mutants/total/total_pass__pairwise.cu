/* total_pass__pairwise.cu - the same on a GPU */
#include "total_pass__pairwise.c"
