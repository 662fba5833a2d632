/* add_pass__two_roundings.c - multiplies, rounds, adds */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    float b = (float)(g->alpha * add_b(g, i));

    if (g->a.dtype.code == OSW_INT)
        return add_sum(g, i);
    return (double)((float)add_a(g, i) + b);
}

ADD_ELEMENTS(element)
