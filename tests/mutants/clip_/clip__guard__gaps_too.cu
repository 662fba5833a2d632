/* clip__guard__gaps_too.cu - the same on a GPU */
#include "clip__guard__gaps_too.c"
