/* scale_pass__sets_errno.cu - the same on a GPU */
#include "scale_pass__sets_errno.c"
