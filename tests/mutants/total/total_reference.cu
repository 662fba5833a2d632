/* total_reference.cu - the same on a GPU */
#include "total_reference.c"
