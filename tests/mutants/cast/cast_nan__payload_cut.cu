/* cast_nan__payload_cut.cu - the same on a GPU */
#include "cast_nan__payload_cut.c"
