/* life_stale__kept_argument.cu - the same on a GPU, where old memory stays */
#include "life_crash__kept_argument.c"
