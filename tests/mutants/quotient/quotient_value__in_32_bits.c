/* quotient_value__in_32_bits.c - of the lower halves */
#include "quotient.h"

ITEM void one(const struct quotient *g, int64_t i)
{
    int64_t x = quotient_x(g, i);

    quotient_set(g, i, quotient_right((int32_t)x, g->by));
}

QUOTIENT_ELEMENTS(one)
