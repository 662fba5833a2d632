/* tally_pass__backwards.cu - the same on a GPU */
#include "tally_pass__backwards.c"
