/* matmul_nondeterministic__order_by_clock.cu - the same on a GPU */
#include "matmul_nondeterministic__order_by_clock.c"
