/* add_pass__twice.cu - the same on a GPU */
#include "add_pass__twice.c"
