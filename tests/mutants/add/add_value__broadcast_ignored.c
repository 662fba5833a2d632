/* add_value__broadcast_ignored.c - starts b again when it ends, whatever its
 * shape
 */
#include "add.h"

ITEM double element(const struct add *g, int64_t i)
{
    int64_t n = 1;

    for (int32_t d = 0; d < g->b.ndim; d++)
        n *= g->b.shape[d];
    return add_a(g, i) + g->alpha * view_get(&g->b, i % n);
}

ADD_ELEMENTS(element)
