/* scan_reference.cu - the same on a GPU */
#include "scan_reference.c"
