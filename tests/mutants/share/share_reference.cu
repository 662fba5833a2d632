/* share_reference.cu - the same on a GPU */
#include "share_reference.c"
