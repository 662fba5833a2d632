/* gather_mutated__sorted_index.cu - the same on a GPU */
#include "gather_mutated__sorted_index.c"
