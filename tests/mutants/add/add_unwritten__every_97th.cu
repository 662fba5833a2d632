/* add_unwritten__every_97th.cu - the same on a GPU */
#include "add_unwritten__every_97th.c"
