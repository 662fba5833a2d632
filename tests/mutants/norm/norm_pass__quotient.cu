/* norm_pass__quotient.cu - the same on a GPU */
#include "norm_pass__quotient.c"
