/* mask_weak__zeros.cu - the same on a GPU */
#include "mask_weak__zeros.c"
