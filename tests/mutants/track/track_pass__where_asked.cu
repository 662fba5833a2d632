/* track_pass__where_asked.cu - the same on a GPU */
#include "track_pass__where_asked.c"
