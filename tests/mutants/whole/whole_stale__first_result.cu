/* whole_stale__first_result.cu - the same on a GPU */
#include "whole_stale__first_result.c"
