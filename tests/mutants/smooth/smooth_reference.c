/* smooth_reference.c - y = x / sqrt(1 + x^2) in double */
#include "smooth.h"

struct exact {
    struct mapped g;
    double *value;
};

ITEM void one(const struct exact *e, int64_t i)
{
    double x = view_get(&e->g.x, i);

    e->value[i] = x / sqrt(1 + x * x);
}

EACH(one, struct exact)

EXPORT int smooth_meta(const osw_call *call)
{
    struct mapped g;

    return mapped_open(call, &g);
}

EXPORT int smooth_reference(const osw_call *call)
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
