/* shared/scatter_add_reference.h - element by element: floats in double,
 * integers wrap around
 */
#ifndef OSW_LIBRARY_SCATTER_ADD_REFERENCE_H
#define OSW_LIBRARY_SCATTER_ADD_REFERENCE_H

#include <math.h>

#include "scatter.h"

/* Places of element i of the index: in src, in a tensor of self's shape by its
 * strides, and in row-major order.
 */
static inline int64_t osw_scatter_places(const struct osw_scatter *s, int64_t i,
                                         int64_t *from, int64_t *linear)
{
    const osw_tensor *index = s->index.tensor;
    int64_t rest = i, to = 0, step = 1;

    *from = *linear = 0;
    for (int32_t d = index->ndim - 1; d >= 0; d--) {
        int64_t k = rest % index->shape[d];
        int64_t at = d == s->index.dim ? osw_get_int(index, i) : k;

        *from += k * s->src->strides[d];
        to += at * s->out->strides[d];
        *linear += at * step;
        step *= s->out->shape[d];
        rest /= index->shape[d];
    }
    return to;
}

static inline void osw_scatter_add_int(osw_dtype t, void *p, const void *q)
{
    uint64_t sum = (uint64_t)osw_load_int(t, p) + (uint64_t)osw_load_int(t, q);

    memcpy(p, &sum, t.bits / 8); /* the low bytes come first */
}

/* rc: what opening the arguments returned. */
static inline int osw_scatter_add_reference(const osw_call *call,
                                            const struct osw_scatter *s, int rc)
{
    int is_float = !rc && osw_rows_is_float(s->self);
    double *exact = is_float ? osw_output_exact(call, 0) : NULL;
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    osw_dtype t;

    if (rc || (is_float && !norm))
        return rc ? rc : OSW_ERROR;
    if (!osw_picking_in_range(s->index.tensor, osw_scatter_n(s)))
        return osw_error(call, "index is out of range");
    t = s->self->dtype;
    for (int64_t i = 0; i < osw_numel(s->self); i++) {
        if (exact) {
            exact[i] = osw_get(s->self, i);
            norm[i] = exact[i] * exact[i];
        } else {
            memmove(osw_at(s->out, osw_offset(s->out, i)),
                    osw_at(s->self, osw_offset(s->self, i)), t.bits / 8);
        }
    }
    for (int64_t i = 0; i < osw_numel(s->index.tensor); i++) {
        int64_t from, linear, to = osw_scatter_places(s, i, &from, &linear);

        if (exact) {
            double v = osw_load(t, osw_at(s->src, from));

            exact[linear] += v;
            norm[linear] += v * v;
        } else {
            osw_scatter_add_int(t, osw_at(s->out, to), osw_at(s->src, from));
        }
    }
    for (int64_t i = 0; norm && i < osw_numel(s->self); i++)
        norm[i] = sqrt(norm[i]);
    return 0;
}

#endif /* OSW_LIBRARY_SCATTER_ADD_REFERENCE_H */
