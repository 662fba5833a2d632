/* whole_pass__native.cu - the same on a GPU */
#include "whole_pass__native.c"
