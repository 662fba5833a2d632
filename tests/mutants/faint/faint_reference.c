/* faint_reference.c - y = x / 10^7, which no usual tolerance notices */
#include "faint.h"

struct exact {
    struct mapped g;
    double *value;
};

ITEM void one(const struct exact *e, int64_t i)
{
    e->value[i] = 1e-7 * view_get(&e->g.x, i);
}

EACH(one, struct exact)

EXPORT int faint_meta(const osw_call *call)
{
    struct mapped g;

    return mapped_open(call, &g);
}

EXPORT int faint_reference(const osw_call *call)
{
    struct exact e;
    int rc = mapped_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    one_each(call, &e, e.g.n);
    return 0;
}
