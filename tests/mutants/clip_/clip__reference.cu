/* clip__reference.cu - the same on a GPU */
#include "clip__reference.c"
