/* scale_returned__allocates_without_bound.cu - the same on a GPU */
#include "scale_returned__allocates_without_bound.c"
