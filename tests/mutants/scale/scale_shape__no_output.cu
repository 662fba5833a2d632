/* scale_shape__no_output.cu - the same on a GPU */
#include "scale_shape__no_output.c"
