/* pair_reference.cu - the same on a GPU */
#include "pair_reference.c"
