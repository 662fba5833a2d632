/* add_pass__prepared.cu - the same on a GPU */
#include "add_pass__prepared.c"
