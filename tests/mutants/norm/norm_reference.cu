/* norm_reference.cu - the same on a GPU */
#include "norm_reference.c"
