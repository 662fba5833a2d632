/* scan_pass__sequential.cu - the same on a GPU */
#include "scan_pass__sequential.c"
