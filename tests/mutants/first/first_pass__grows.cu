/* first_pass__grows.cu - the same on a GPU */
#include "first_pass__grows.c"
