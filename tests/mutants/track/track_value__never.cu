/* track_value__never.cu - the same on a GPU */
#include "track_value__never.c"
