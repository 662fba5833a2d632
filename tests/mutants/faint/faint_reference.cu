/* faint_reference.cu - the same on a GPU */
#include "faint_reference.c"
