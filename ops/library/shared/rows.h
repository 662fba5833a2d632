/* shared/rows.h - a tensor as rows along one of its dimensions
 *
 * Row r is what is left when all other dimensions are fixed; rows are counted
 * in row-major order of these.  A tensor of no dimensions is one row of one.
 */
#ifndef OSW_LIBRARY_ROWS_H
#define OSW_LIBRARY_ROWS_H

#include <opsweep/elements.h>
#include <opsweep/op.h>

struct osw_rows {
    const osw_tensor *tensor;
    int32_t dim;
    int64_t n_rows, n; /* rows, and elements of one */
    int64_t stride;    /* between them, in elements */
};

/* Fold a dimension counted from the end; -1 when there is none such. */
static inline int32_t osw_rows_dim(int64_t dim, int32_t ndim)
{
    int64_t n = ndim ? ndim : 1;

    return (int32_t)(dim < -n || dim >= n ? -1 : dim < 0 ? dim + n : dim);
}

/* dim: from osw_rows_dim(). */
static inline struct osw_rows osw_rows_of(const osw_tensor *t, int32_t dim)
{
    struct osw_rows r = {t, dim, 1, 1, 0};

    if (t->ndim) {
        r.n = t->shape[dim];
        r.stride = t->strides[dim];
    }
    for (int32_t d = 0; d < t->ndim; d++)
        if (d != dim)
            r.n_rows *= t->shape[d];
    return r;
}

/* Offset in elements of the first element of a row. */
static inline int64_t osw_rows_offset(const struct osw_rows *r, int64_t row)
{
    const osw_tensor *t = r->tensor;
    int64_t at = 0;

    for (int32_t d = t->ndim - 1; d >= 0; d--) {
        if (d == r->dim)
            continue;
        at += row % t->shape[d] * t->strides[d];
        row /= t->shape[d];
    }
    return at;
}

/* Its address. */
static inline char *osw_rows_at(const struct osw_rows *r, int64_t row)
{
    return (char *)osw_at(r->tensor, osw_rows_offset(r, row));
}

/* Element i of the row that starts at `offset`, in double. */
static inline double osw_rows_get(const struct osw_rows *r, int64_t offset,
                                  int64_t i)
{
    return osw_load(r->tensor->dtype,
                    osw_at(r->tensor, offset + i * r->stride));
}

/* n elements of t from the `at`-th on, in row-major order, in double. */
static inline void osw_rows_read_flat(const osw_tensor *t, int64_t at,
                                      int64_t n, double *to)
{
    int contiguous = osw_is_contiguous(t);

    for (int64_t i = at; i < at + n; i++)
        to[i - at] =
            osw_load(t->dtype, osw_at(t, contiguous ? i : osw_offset(t, i)));
}

static inline int osw_rows_is_float(const osw_tensor *t)
{
    return t->dtype.code == OSW_FLOAT || t->dtype.code == OSW_BFLOAT;
}

/* Do floats of dtype t lose digits or range as `to`?  PyTorch casts them before
 * it adds them up; here they are added up as they are.
 */
static inline int osw_rows_narrows(const osw_tensor *t, osw_dtype to)
{
    return osw_rows_is_float(t) &&
           (to.code == OSW_FLOAT || to.code == OSW_BFLOAT) &&
           (to.bits < t->dtype.bits ||
            (to.bits == t->dtype.bits && to.code != t->dtype.code));
}

static inline int osw_rows_same_shape(const osw_tensor *a, const osw_tensor *b)
{
    int same = a->ndim == b->ndim;

    for (int32_t d = 0; same && d < a->ndim; d++)
        same = a->shape[d] == b->shape[d];
    return same;
}

static inline osw_dtype osw_rows_f32(void)
{
    osw_dtype t = {OSW_FLOAT, 32, 1};

    return t;
}

static inline osw_dtype osw_rows_i64(void)
{
    osw_dtype t = {OSW_INT, 64, 1};

    return t;
}

/* Threads for n pieces of work. */
static inline int osw_rows_threads(const osw_call *call, int64_t n)
{
    int64_t threads = n < call->n_threads ? n : call->n_threads;

    return threads > 1 ? (int)threads : 1;
}

#endif /* OSW_LIBRARY_ROWS_H */
