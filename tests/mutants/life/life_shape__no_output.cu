/* life_shape__no_output.cu - the same on a GPU */
#include "life_shape__no_output.c"
