/* add_value__minus.c - subtracts */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return add_a(g, i) - g->alpha * add_b(g, i);
}

ADD_ELEMENTS(element)
