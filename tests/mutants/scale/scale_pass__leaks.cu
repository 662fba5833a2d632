/* scale_pass__leaks.cu - the same on a GPU */
#include "scale_pass__leaks.c"
