/* scale_unsupported__all.cu - the same on a GPU */
#include "scale_unsupported__all.c"
