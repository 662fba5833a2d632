/* smooth_precision__through_tf32.cu - the same on a GPU */
#include "smooth_precision__through_tf32.c"
