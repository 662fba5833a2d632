/* life_exited__zero.cu - the same on a GPU */
#include "life_exited__zero.c"
