/* mask_reference.c - y = x * mask; the mask of the case is zero everywhere */
#include "mask.h"

struct exact {
    struct mask g;
    double *value;
};

ITEM void one(const struct exact *e, int64_t i)
{
    e->value[i] = view_get(&e->g.x, i) * view_get(&e->g.mask, i);
}

EACH(one, struct exact)

EXPORT int mask_meta(const osw_call *call)
{
    struct mask g;

    return mask_open(call, &g);
}

EXPORT int mask_reference(const osw_call *call)
{
    struct exact e;
    int rc = mask_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    one_each(call, &e, e.g.n);
    return 0;
}
