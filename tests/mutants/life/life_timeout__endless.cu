/* life_timeout__endless.cu - the same on a GPU */
#include "life_timeout__endless.c"
