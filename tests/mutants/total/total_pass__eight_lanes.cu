/* total_pass__eight_lanes.cu - the same on a GPU */
#include "total_pass__eight_lanes.c"
