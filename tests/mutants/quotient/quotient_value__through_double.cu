/* quotient_value__through_double.cu - the same on a GPU */
#include "quotient_value__through_double.c"
