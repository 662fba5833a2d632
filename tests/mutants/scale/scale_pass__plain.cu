/* scale_pass__plain.cu - the same on a GPU */
#include "scale_pass__plain.c"
