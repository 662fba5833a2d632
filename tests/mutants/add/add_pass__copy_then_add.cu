/* add_pass__copy_then_add.cu - the same on a GPU */
#include "add_pass__copy_then_add.c"
