/* whole_pass__elements.c - element by element */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    cast_right(g, i);
}

WHOLE_ELEMENTS(one)
