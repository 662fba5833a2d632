/* shared/strided.cuh - a tensor as kernels see it, passed by value
 *
 * Dimensions of size 1 are dropped and those that are contiguous with each other
 * are joined, so that most tensors come down to one or two dimensions.
 */
#ifndef OSW_LIBRARY_STRIDED_CUH
#define OSW_LIBRARY_STRIDED_CUH

#include "launch.cuh"
#include "rows.h"

enum { OSW_STRIDED_DIMS = 16 };

struct osw_strided {
    char *data;
    osw_dtype dtype;
    int32_t ndim;
    int64_t shape[OSW_STRIDED_DIMS], strides[OSW_STRIDED_DIMS];
};

/* Rows of a tensor: rows.h in a kernel. */
struct osw_row_view {
    struct osw_strided outer; /* all dimensions but the one of the rows */
    int64_t n_rows, n, stride;
};

/* Add a dimension inside of those there are; 0 when it is one too many. */
static inline int osw_strided_push(struct osw_strided *s, int64_t size,
                                   int64_t stride)
{
    int32_t last = s->ndim - 1;

    if (size == 1)
        return 1;
    if (last >= 0 && s->strides[last] == stride * size) {
        s->shape[last] *= size;
        s->strides[last] = stride;
        return 1;
    }
    if (s->ndim == OSW_STRIDED_DIMS)
        return 0;
    s->shape[s->ndim] = size;
    s->strides[s->ndim++] = stride;
    return 1;
}

/* Dimensions [from, to) of t without `skip`: 0, or OSW_UNSUPPORTED. */
static inline int osw_strided_part(struct osw_strided *s, const osw_tensor *t,
                                   int32_t from, int32_t to, int32_t skip)
{
    int ok = 1;

    s->data = (char *)osw_data(t);
    s->dtype = t->dtype;
    s->ndim = 0;
    for (int32_t d = from; d < to; d++)
        if (d != skip)
            ok &= osw_strided_push(s, t->shape[d], t->strides[d]);
    return ok ? 0 : OSW_UNSUPPORTED;
}

static inline int osw_strided_of(struct osw_strided *s, const osw_tensor *t)
{
    return osw_strided_part(s, t, 0, t->ndim, -1);
}

static inline int osw_row_view_of(struct osw_row_view *v,
                                  const struct osw_rows *r)
{
    v->n_rows = r->n_rows;
    v->n = r->n;
    v->stride = r->stride;
    return osw_strided_part(&v->outer, r->tensor, 0, r->tensor->ndim, r->dim);
}

/* Offset in elements of the `linear`-th element, row-major. */
OSW_HD static inline int64_t osw_strided_offset(const struct osw_strided *s,
                                                int64_t linear)
{
    int64_t at = 0;

    for (int32_t d = s->ndim - 1; d > 0; d--) {
        at += linear % s->shape[d] * s->strides[d];
        linear /= s->shape[d];
    }
    return s->ndim ? at + linear * s->strides[0] : 0;
}

/* Address of the element at an offset in elements. */
OSW_HD static inline char *osw_strided_at(const struct osw_strided *s,
                                          int64_t offset)
{
    return s->data + offset * (int64_t)(s->dtype.bits / 8);
}

/* The `linear`-th element. */
OSW_HD static inline double osw_strided_get(const struct osw_strided *s,
                                            int64_t linear)
{
    return osw_load(s->dtype, osw_strided_at(s, osw_strided_offset(s, linear)));
}

OSW_HD static inline int64_t osw_strided_get_int(const struct osw_strided *s,
                                                 int64_t linear)
{
    return osw_load_int(s->dtype,
                        osw_strided_at(s, osw_strided_offset(s, linear)));
}

/* Where results in double go: as they are, or rounded into a contiguous
 * output; nowhere when both are NULL.
 */
struct osw_target {
    double *exact;
    char *out;
    osw_dtype dtype;
};

OSW_HD static inline void osw_target_put(const struct osw_target *t, int64_t i,
                                         double v)
{
    if (t->exact)
        t->exact[i] = v;
    else if (t->out)
        osw_store(t->dtype, t->out + i * (t->dtype.bits / 8), v);
}

/* out: NULL where there is none.  exact: -1, or the number of the output that
 * is wanted in double.  0, or OSW_ERROR.
 */
static inline int osw_target_of(struct osw_target *t, const osw_call *call,
                                const osw_tensor *out, int exact)
{
    t->exact = out && exact >= 0 ? osw_output_exact(call, exact) : NULL;
    t->out = out ? (char *)osw_data(out) : NULL;
    if (out)
        t->dtype = out->dtype;
    return out && exact >= 0 && !t->exact ? OSW_ERROR : 0;
}

static inline int osw_target_is(const struct osw_target *t)
{
    return t->exact || t->out;
}

/* Blocks for n pieces of work, `per_block` each, that kernels walk in strides
 * of the grid: enough to fill the device a few times over.
 */
static inline unsigned osw_grid(int64_t n, int64_t per_block)
{
    int64_t blocks = (n + per_block - 1) / per_block;
    int64_t most = (int64_t)osw_sm_count() * 32;

    return (unsigned)(blocks < 1 ? 1 : blocks > most ? most : blocks);
}

#endif /* OSW_LIBRARY_STRIDED_CUH */
