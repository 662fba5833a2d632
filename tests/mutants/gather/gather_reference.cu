/* gather_reference.cu - the same on a GPU */
#include "gather_reference.c"
