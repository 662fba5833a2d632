/* shared/extremes_reference.h - extremes.h, element by element */
#ifndef OSW_LIBRARY_EXTREMES_REFERENCE_H
#define OSW_LIBRARY_EXTREMES_REFERENCE_H

#include "extremes.h"

/* Does the element at p come before that at q, whatever their places? */
static inline int osw_extremes_before(const struct osw_extremes *e,
                                      const void *p, const void *q)
{
    osw_dtype t = e->x->dtype;
    double a, b;

    if (!osw_rows_is_float(e->x)) {
        int64_t i = osw_load_int(t, p), k = osw_load_int(t, q);

        return e->least ? i < k : i > k;
    }
    a = osw_load(t, p);
    b = osw_load(t, q);
    return b == b && (a != a || (e->least ? a < b : a > b));
}

/* rc: what opening the arguments returned. */
static inline int osw_extremes_reference(const struct osw_extremes *e, int rc)
{
    if (rc)
        return rc;
    for (int64_t k = 0; k < e->kept.numel; k++) {
        int64_t best = 0;

        for (int64_t i = 1; i < e->over.numel; i++)
            if (osw_extremes_before(e, osw_extremes_at(e, k, i),
                                    osw_extremes_at(e, k, best)))
                best = i;
        osw_extremes_put(e, k, best);
    }
    return 0;
}

#endif /* OSW_LIBRARY_EXTREMES_REFERENCE_H */
