/* pack_pass__longer_rows.cu - the same on a GPU */
#include "pack_pass__longer_rows.c"
