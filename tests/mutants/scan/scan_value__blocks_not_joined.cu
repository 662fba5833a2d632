/* scan_value__blocks_not_joined.cu - the same on a GPU */
#include "scan_value__blocks_not_joined.c"
