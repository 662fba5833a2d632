/* total_precision__f16_terms.cu - the same on a GPU */
#include "total_precision__f16_terms.c"
