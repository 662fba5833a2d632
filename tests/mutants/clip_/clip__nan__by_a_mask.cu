/* clip__nan__by_a_mask.cu - the same on a GPU */
#include "clip__nan__by_a_mask.c"
