/* life_reference.cu - the same on a GPU */
#include "life_reference.c"
