/* life_pass__plain.cu - the same on a GPU */
#include "life_pass__plain.c"
