/* track_mutated__in_any_case.cu - the same on a GPU */
#include "track_mutated__in_any_case.c"
