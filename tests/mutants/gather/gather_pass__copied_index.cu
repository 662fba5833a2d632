/* gather_pass__copied_index.cu - the same on a GPU */
#include "gather_pass__copied_index.c"
