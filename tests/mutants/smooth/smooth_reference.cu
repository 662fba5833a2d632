/* smooth_reference.cu - the same on a GPU */
#include "smooth_reference.c"
