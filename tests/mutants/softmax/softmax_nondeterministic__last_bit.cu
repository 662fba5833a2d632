/* softmax_nondeterministic__last_bit.cu - the same on a GPU */
#include "softmax_nondeterministic__last_bit.c"
