/* clip__pass__branches.cu - the same on a GPU */
#include "clip__pass__branches.c"
