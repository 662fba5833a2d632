/* pair_pass__plain.cu - the same on a GPU */
#include "pair_pass__plain.c"
