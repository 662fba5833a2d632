/* life_build__syntax.cu - the same on a GPU */
#include "life_build__syntax.c"
