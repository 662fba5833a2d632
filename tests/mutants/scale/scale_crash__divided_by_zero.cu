/* scale_crash__divided_by_zero.cu - the same on a GPU */
#include "scale_crash__divided_by_zero.c"
