/* scale_pass__prints_100_mb.cu - the same on a GPU */
#include "scale_pass__prints_100_mb.c"
