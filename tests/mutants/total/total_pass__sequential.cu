/* total_pass__sequential.cu - the same on a GPU */
#include "total_pass__sequential.c"
