/* add_guard__whole_vectors.cu - the same on a GPU */
#include "add_guard__whole_vectors.c"
