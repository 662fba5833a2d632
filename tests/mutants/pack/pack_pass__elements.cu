/* pack_pass__elements.cu - the same on a GPU */
#include "pack_pass__elements.c"
