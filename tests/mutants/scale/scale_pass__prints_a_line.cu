/* scale_pass__prints_a_line.cu - the same on a GPU */
#include "scale_pass__prints_a_line.c"
