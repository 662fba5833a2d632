/* add_guard__a_kilobyte_before.cu - the same on a GPU */
#include "add_guard__a_kilobyte_before.c"
