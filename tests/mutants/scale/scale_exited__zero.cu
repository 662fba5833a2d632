/* scale_exited__zero.cu - the same on a GPU */
#include "scale_exited__zero.c"
