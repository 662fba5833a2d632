/* scan_precision__tf32_terms.cu - the same on a GPU */
#include "scan_precision__tf32_terms.c"
