/* gather_value__through_f16.cu - the same on a GPU */
#include "gather_value__through_f16.c"
