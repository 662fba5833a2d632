/* scale_load__missing_symbol.cu - the same on a GPU */
#include "scale_load__missing_symbol.c"
