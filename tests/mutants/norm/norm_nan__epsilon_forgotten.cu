/* norm_nan__epsilon_forgotten.cu - the same on a GPU */
#include "norm_nan__epsilon_forgotten.c"
