/* mask_weak__mask.cu - the same on a GPU */
#include "mask_weak__mask.c"
