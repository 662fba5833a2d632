/* add_pass__plain.cu - the same on a GPU */
#include "add_pass__plain.c"
