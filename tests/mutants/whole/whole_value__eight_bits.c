/* whole_value__eight_bits.c - by way of 8-bit integers */
#include "whole.h"

ITEM void one(const struct cast *g, int64_t i)
{
    view_set(&g->y, i, (double)(int8_t)(int64_t)view_get(&g->x, i));
}

WHOLE_ELEMENTS(one)
