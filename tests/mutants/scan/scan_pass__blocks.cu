/* scan_pass__blocks.cu - the same on a GPU */
#include "scan_pass__blocks.c"
