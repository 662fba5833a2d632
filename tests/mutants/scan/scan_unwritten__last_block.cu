/* scan_unwritten__last_block.cu - the same on a GPU */
#include "scan_unwritten__last_block.c"
