/* scale_crash__abort.cu - the same on a GPU */
#include "scale_crash__abort.c"
