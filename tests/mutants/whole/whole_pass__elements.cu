/* whole_pass__elements.cu - the same on a GPU */
#include "whole_pass__elements.c"
