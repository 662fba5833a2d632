/* cast_pass__elements.c - rounded once, element by element */
#include "cast.h"

ITEM void one(const struct cast *g, int64_t i)
{
    cast_right(g, i);
}

CAST_ELEMENTS(one)
