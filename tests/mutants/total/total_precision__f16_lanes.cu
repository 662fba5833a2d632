/* total_precision__f16_lanes.cu - the same on a GPU */
#include "total_precision__f16_lanes.c"
