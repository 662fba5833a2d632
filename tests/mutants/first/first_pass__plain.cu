/* first_pass__plain.cu - the same on a GPU */
#include "first_pass__plain.c"
