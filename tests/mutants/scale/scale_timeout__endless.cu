/* scale_timeout__endless.cu - the same on a GPU */
#include "scale_timeout__endless.c"
