/* add_value__neighbour_of_last.c - the last element is the one before it */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return add_sum(g, i == g->n - 1 && i > 0 ? i - 1 : i);
}

ADD_ELEMENTS(element)
