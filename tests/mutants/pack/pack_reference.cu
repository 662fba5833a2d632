/* pack_reference.cu - the same on a GPU */
#include "pack_reference.c"
