/* smooth_pass__two_roundings_more.cu - the same on a GPU */
#include "smooth_pass__two_roundings_more.c"
