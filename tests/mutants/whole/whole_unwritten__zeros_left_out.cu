/* whole_unwritten__zeros_left_out.cu - the same on a GPU */
#include "whole_unwritten__zeros_left_out.c"
