/* scale_build__syntax.cu - the same on a GPU */
#include "scale_build__syntax.c"
