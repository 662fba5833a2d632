/* norm_pass__scale_and_shift.cu - the same on a GPU */
#include "norm_pass__scale_and_shift.c"
