/* total_value__sum_of_magnitudes.cu - the same on a GPU */
#include "total_value__sum_of_magnitudes.c"
