/* largest_pass__in_order.cu - the same on a GPU */
#include "largest_pass__in_order.c"
