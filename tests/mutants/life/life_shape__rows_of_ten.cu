/* life_shape__rows_of_ten.cu - the same on a GPU */
#include "life_shape__rows_of_ten.c"
