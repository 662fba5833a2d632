/* life_crash__divided_by_zero.cu - the same on a GPU */
#include "life_crash__divided_by_zero.c"
