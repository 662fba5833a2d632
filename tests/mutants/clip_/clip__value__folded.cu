/* clip__value__folded.cu - the same on a GPU */
#include "clip__value__folded.c"
