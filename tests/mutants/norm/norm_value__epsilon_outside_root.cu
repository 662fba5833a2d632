/* norm_value__epsilon_outside_root.cu - the same on a GPU */
#include "norm_value__epsilon_outside_root.c"
