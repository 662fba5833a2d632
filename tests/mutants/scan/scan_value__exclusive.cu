/* scan_value__exclusive.cu - the same on a GPU */
#include "scan_value__exclusive.c"
