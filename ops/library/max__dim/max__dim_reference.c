/* ops/library/max__dim/max__dim_reference.c - row by row */
#include "max.h"

int max__dim_meta(const osw_call *call)
{
    struct osw_max m = {0};

    return osw_max_open(call, &m);
}

/* Is the element at p larger than that at q? */
static int is_larger(osw_dtype t, const void *p, const void *q)
{
    double a, b;

    if (t.code != OSW_FLOAT && t.code != OSW_BFLOAT)
        return osw_load_int(t, p) > osw_load_int(t, q);
    a = osw_load(t, p);
    b = osw_load(t, q);
    return b == b && (a != a || a > b);
}

int max__dim_reference(const osw_call *call)
{
    struct osw_max m = {0};
    int rc = osw_max_open(call, &m);
    osw_dtype t;

    if (rc)
        return rc;
    t = m.values->dtype;
    for (int64_t k = 0; k < osw_numel(m.values); k++) {
        int64_t o = k / m.x.inner, j = k % m.x.inner, best = 0;

        for (int64_t i = 1; i < m.x.n; i++)
            if (is_larger(t, osw_slices_at(&m.x, o, i, j),
                          osw_slices_at(&m.x, o, best, j)))
                best = i;
        memcpy(osw_at(m.values, k), osw_slices_at(&m.x, o, best, j),
               t.bits / 8);
        ((int64_t *)osw_data(m.places))[k] = best;
    }
    return 0;
}
