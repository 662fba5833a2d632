/* scan_pass__double.cu - the same on a GPU */
#include "scan_pass__double.c"
