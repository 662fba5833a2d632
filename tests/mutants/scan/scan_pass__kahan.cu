/* scan_pass__kahan.cu - the same on a GPU */
#include "scan_pass__kahan.c"
