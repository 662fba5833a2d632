/* add_value__alpha_ignored.c - a + b */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    return add_a(g, i) + add_b(g, i);
}

ADD_ELEMENTS(element)
