/* life_crash__abort.cu - the same on a GPU */
#include "life_crash__abort.c"
