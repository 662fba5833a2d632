/* clip__pass__by_way_of_workspace.cu - the same on a GPU */
#include "clip__pass__by_way_of_workspace.c"
