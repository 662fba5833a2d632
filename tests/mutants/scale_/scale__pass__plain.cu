/* scale__pass__plain.cu - the same on a GPU */
#include "scale__pass__plain.c"
