/* add_pass__backwards.cu - the same on a GPU */
#include "add_pass__backwards.c"
