/* pack_shape__place_of_input.cu - the same on a GPU */
#include "pack_shape__place_of_input.c"
