/* scan_value__integers_through_float.cu - the same on a GPU */
#include "scan_value__integers_through_float.c"
