/* norm_mutated__centred_in_place.cu - the same on a GPU */
#include "norm_mutated__centred_in_place.c"
