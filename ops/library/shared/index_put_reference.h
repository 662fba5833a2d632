/* shared/index_put_reference.h - one value after the other, in double; of
 * integers in their own type
 */
#ifndef OSW_LIBRARY_INDEX_PUT_REFERENCE_H
#define OSW_LIBRARY_INDEX_PUT_REFERENCE_H

#include "index_put.h"

/* Element k of the output from the value at p: a double in exact, or an integer
 * that wraps around.
 */
static inline void osw_index_put_one(const struct osw_index_put *a,
                                     double *exact, double *norm, int64_t k,
                                     const void *p)
{
    osw_dtype t = a->out->dtype;
    void *to = osw_at(a->out, k);
    int64_t sum = osw_load_int(t, p);

    if (exact) {
        double v = osw_load(t, p);

        exact[k] = a->accumulate ? exact[k] + v : v;
        norm[k] = a->accumulate ? norm[k] + v * v : v * v;
        return;
    }
    if (a->accumulate)
        sum = (int64_t)((uint64_t)sum + (uint64_t)osw_load_int(t, to));
    memcpy(to, &sum, t.bits / 8); /* the low bytes come first */
}

/* rc: what opening the arguments returned. */
static inline int osw_index_put_reference(const osw_call *call,
                                          const struct osw_index_put *a, int rc)
{
    int is_float = !rc && osw_rows_is_float(a->self);
    double *exact = is_float ? osw_output_exact(call, 0) : NULL;
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    int64_t n = 0;

    if (rc || (is_float && !norm))
        return rc ? rc : OSW_ERROR;
    for (int64_t k = 0; k < osw_numel(a->out); k++) {
        if (exact) {
            exact[k] = osw_get(a->self, k);
            norm[k] = exact[k] * exact[k];
        } else {
            memmove(osw_at(a->out, k), osw_at(a->self, osw_offset(a->self, k)),
                    a->self->dtype.bits / 8);
        }
    }
    for (int64_t p = 0; p < a->x.before.numel; p++)
        for (int64_t i = 0; i < a->x.numel; i++)
            for (int64_t q = 0; q < a->x.after.numel; q++, n++) {
                int64_t at = osw_index_where(&a->x, i);

                if (at < 0)
                    return osw_error(call, "index is out of range");
                at += osw_index_offset(&a->x.before, p) +
                      osw_index_offset(&a->x.after, q);
                osw_index_put_one(a, exact, norm, at,
                                  osw_at(a->values, osw_index_put_value(a, n)));
            }
    for (int64_t k = 0; norm && k < osw_numel(a->out); k++)
        norm[k] = sqrt(norm[k]);
    return 0;
}

#endif /* OSW_LIBRARY_INDEX_PUT_REFERENCE_H */
