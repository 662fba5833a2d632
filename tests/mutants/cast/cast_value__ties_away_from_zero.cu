/* cast_value__ties_away_from_zero.cu - the same on a GPU */
#include "cast_value__ties_away_from_zero.c"
