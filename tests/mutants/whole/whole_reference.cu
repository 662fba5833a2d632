/* whole_reference.cu - the same on a GPU */
#include "whole_reference.c"
