/* scan_value__rows_not_parted.cu - the same on a GPU */
#include "scan_value__rows_not_parted.c"
