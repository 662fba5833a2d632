/* total_pass__strided_passes.cu - the same on a GPU */
#include "total_pass__strided_passes.c"
