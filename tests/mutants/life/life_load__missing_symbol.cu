/* life_load__missing_symbol.cu - the same on a GPU */
#include "life_load__missing_symbol.c"
