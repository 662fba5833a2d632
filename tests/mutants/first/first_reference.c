/* first_reference.c - y = factor * x in double */
#include "first.h"

struct exact {
    struct scale g;
    double *value;
};

ITEM void one(const struct exact *e, int64_t i)
{
    e->value[i] = (double)e->g.factor * (double)e->g.x[i];
}

EACH(one, struct exact)

EXPORT int first_meta(const osw_call *call)
{
    struct scale g;

    return scale_open(call, &g);
}

EXPORT int first_reference(const osw_call *call)
{
    struct exact e;
    int rc = scale_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    one_each(call, &e, e.g.n);
    return 0;
}
