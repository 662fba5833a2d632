/* add_mutated__scales_other.cu - the same on a GPU */
#include "add_mutated__scales_other.c"
