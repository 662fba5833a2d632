/* tally_pass__backwards.c - from the last one on
 */
#include "tally.h"

ITEM void all(const struct tally *g, int64_t unused)
{
    int64_t count = 0;

    (void)unused;
    for (int64_t i = g->n; i-- > 0;)
        count += view_get(&g->x, i) > 0;
    tally_set(g, count);
}

TALLY(all)
