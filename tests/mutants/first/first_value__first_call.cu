/* first_value__first_call.cu - the same on a GPU */
#include "first_value__first_call.c"
