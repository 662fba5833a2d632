/* add_value__shape_special_case.c - knows the shape of one benchmark, guesses
 * for the others
 */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    if (g->n == 4096)
        return add_sum(g, i);
    return add_a(g, i) * (1.0 + g->alpha);
}

ADD_ELEMENTS(element)
