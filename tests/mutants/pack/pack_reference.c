/* pack_reference.c - y = x, without gaps */
#include "pack.h"

EXPORT int pack_meta(const osw_call *call)
{
    struct pack g;

    return pack_open(call, NULL, &g);
}

EXPORT int pack_reference(const osw_call *call)
{
    struct pack g;
    int rc = pack_open(call, NULL, &g);

    if (!rc)
        pack_copy_each(call, &g, g.n * g.d);
    return rc;
}
