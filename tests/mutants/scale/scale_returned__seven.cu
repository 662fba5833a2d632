/* scale_returned__seven.cu - the same on a GPU */
#include "scale_returned__seven.c"
