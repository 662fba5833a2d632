/* pack_unwritten__longer_rows.cu - the same on a GPU */
#include "pack_unwritten__longer_rows.c"
