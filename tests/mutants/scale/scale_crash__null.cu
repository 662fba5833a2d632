/* scale_crash__null.cu - the same on a GPU */
#include "scale_crash__null.c"
