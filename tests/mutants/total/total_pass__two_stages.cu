/* total_pass__two_stages.cu - the same on a GPU */
#include "total_pass__two_stages.c"
