/* scale__reference.cu - the same on a GPU */
#include "scale__reference.c"
