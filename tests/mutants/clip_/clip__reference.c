/* clip__reference.c - x = min(max(x, lo), hi), NaN stays NaN */
#include "clip_.h"

struct exact {
    struct clip g;
    double *value;
};

ITEM void one(const struct exact *e, int64_t i)
{
    e->value[i] = (double)clip_right(&e->g, (float)view_get(&e->g.x, i));
}

EACH(one, struct exact)

EXPORT int clip__meta(const osw_call *call)
{
    struct clip g;

    return clip_open(call, &g);
}

EXPORT int clip__reference(const osw_call *call)
{
    struct exact e;
    int rc = clip_open(call, &e.g);

    if (rc)
        return rc;
    e.value = osw_output_exact(call, 0);
    if (!e.value)
        return OSW_ERROR;
    one_each(call, &e, e.g.n);
    return 0;
}
