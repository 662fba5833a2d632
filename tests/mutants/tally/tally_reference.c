/* tally_reference.c - the count
 */
#include "tally.h"

ITEM void all(const struct tally *g, int64_t i)
{
    (void)i;
    tally_set(g, tally_right(g));
}

EACH(all, struct tally)

EXPORT int tally_meta(const osw_call *call)
{
    struct tally g;

    return tally_open(call, &g);
}

EXPORT int tally_reference(const osw_call *call)
{
    struct tally g;
    int rc = tally_open(call, &g);

    if (!rc)
        all_each(call, &g, 1);
    return rc;
}
