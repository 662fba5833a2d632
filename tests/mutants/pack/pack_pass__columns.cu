/* pack_pass__columns.cu - the same on a GPU */
#include "pack_pass__columns.c"
