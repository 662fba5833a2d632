/* add_mutated__restored_but_one.cu - the same on a GPU */
#include "add_mutated__restored_but_one.c"
