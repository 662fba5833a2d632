/* gather_pass__elements.cu - the same on a GPU */
#include "gather_pass__elements.c"
