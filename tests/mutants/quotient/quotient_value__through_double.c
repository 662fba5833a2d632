/* quotient_value__through_double.c - in double */
#include "quotient.h"

ITEM void one(const struct quotient *g, int64_t i)
{
    int64_t x = quotient_x(g, i);

    quotient_set(g, i, (int64_t)floor((double)x / (double)g->by));
}

QUOTIENT_ELEMENTS(one)
