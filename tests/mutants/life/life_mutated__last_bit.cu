/* life_mutated__last_bit.cu - the same on a GPU */
#include "life_mutated__last_bit.c"
