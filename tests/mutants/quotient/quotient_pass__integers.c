/* quotient_pass__integers.c - toward zero, then down */
#include "quotient.h"

ITEM void one(const struct quotient *g, int64_t i)
{
    int64_t x = quotient_x(g, i);

    quotient_set(g, i, x < 0 ? -((-x + g->by - 1) / g->by) : x / g->by);
}

QUOTIENT_ELEMENTS(one)
