/* smooth_pass__native.cu - the same on a GPU */
#include "smooth_pass__native.c"
