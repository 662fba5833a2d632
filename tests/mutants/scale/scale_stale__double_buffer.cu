/* scale_stale__double_buffer.cu - the same on a GPU */
#include "scale_stale__double_buffer.c"
