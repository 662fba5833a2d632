/* tally_reference.cu - the same on a GPU */
#include "tally_reference.c"
