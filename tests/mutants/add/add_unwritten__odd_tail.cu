/* add_unwritten__odd_tail.cu - the same on a GPU */
#include "add_unwritten__odd_tail.c"
