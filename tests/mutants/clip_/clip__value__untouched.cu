/* clip__value__untouched.cu - the same on a GPU */
#include "clip__value__untouched.c"
