/* add_guard__past_input.cu - the same on a GPU */
#include "add_guard__past_input.c"
