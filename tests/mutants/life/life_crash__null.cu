/* life_crash__null.cu - the same on a GPU */
#include "life_crash__null.c"
