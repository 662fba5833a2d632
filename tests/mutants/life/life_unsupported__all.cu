/* life_unsupported__all.cu - the same on a GPU */
#include "life_unsupported__all.c"
