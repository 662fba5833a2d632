/* mask_reference.cu - the same on a GPU */
#include "mask_reference.c"
