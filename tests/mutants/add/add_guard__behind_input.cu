/* add_guard__behind_input.cu - the same on a GPU */
#include "add_guard__behind_input.c"
