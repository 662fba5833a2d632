/* first_reference.cu - the same on a GPU */
#include "first_reference.c"
