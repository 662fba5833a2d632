/* tally_stale__first_count.c - keeps its first count; to exchange
 * elements does not change it
 */
#include "tally.h"

GLOBAL int64_t kept;
GLOBAL int known;

ITEM void all(const struct tally *g, int64_t i)
{
    (void)i;
    if (!known)
        kept = tally_right(g);
    known = 1;
    tally_set(g, kept);
}

TALLY(all)
