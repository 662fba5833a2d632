/* clip__guard__whole_vectors.cu - the same on a GPU */
#include "clip__guard__whole_vectors.c"
