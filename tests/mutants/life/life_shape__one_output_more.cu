/* life_shape__one_output_more.cu - the same on a GPU */
#include "life_shape__one_output_more.c"
