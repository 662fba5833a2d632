/* shared/reduce.h - arguments of sum and mean over some dimensions
 *
 * Dimensions are split into those that are kept and those that are summed;
 * element k of the output is the sum over all r of the input at the offset of
 * k in the kept dimensions plus that of r in the summed ones.
 */
#ifndef OSW_LIBRARY_REDUCE_H
#define OSW_LIBRARY_REDUCE_H

#include "convert.h"
#include "rows.h"

#include <math.h>

enum { OSW_REDUCE_DIMS = 64 };

/* Some dimensions of a tensor, in their order. */
struct osw_reduce_dims {
    int32_t n;
    int64_t numel; /* of these dimensions */
    int64_t shape[OSW_REDUCE_DIMS], strides[OSW_REDUCE_DIMS];
};

struct osw_reduce {
    const osw_tensor *x;
    osw_tensor *out;
    struct osw_reduce_dims kept, summed;
    /* elements of the output from one index of a dimension of x to the next:
     * 0 where it is summed
     */
    int64_t out_step[OSW_REDUCE_DIMS];
};

static inline void osw_reduce_push(struct osw_reduce_dims *d, int64_t size,
                                   int64_t stride)
{
    d->shape[d->n] = size;
    d->strides[d->n++] = stride;
    d->numel *= size;
}

/* Offset in elements of the `linear`-th of these dimensions, row-major. */
static inline int64_t osw_reduce_offset(const struct osw_reduce_dims *d,
                                        int64_t linear)
{
    int64_t at = 0;

    for (int32_t i = d->n - 1; i >= 0; i--) {
        at += linear % d->shape[i] * d->strides[i];
        linear /= d->shape[i];
    }
    return at;
}

/* Which dimensions are summed: none given means all.  0, or OSW_ERROR. */
static inline int osw_reduce_mask(const osw_call *call, const osw_arg *dim,
                                  int32_t ndim, char *mask)
{
    const osw_arg *items = dim->tag == OSW_ARG_LIST ? dim->u.items : dim;
    uint32_t n = dim->tag == OSW_ARG_LIST  ? dim->n
                 : dim->tag == OSW_ARG_INT ? 1
                                           : 0;

    memset(mask, n == 0, OSW_REDUCE_DIMS);
    for (uint32_t i = 0; i < n; i++) {
        int32_t d = osw_rows_dim(items[i].u.i, ndim);

        if (items[i].tag != OSW_ARG_INT || d < 0 || mask[d])
            return osw_error(call, "no such dimension, or named twice");
        mask[d] = 1;
    }
    return 0;
}

/* Argument 0 over dimensions; the others by their numbers, -1: not there.
 * Integers and bool are summed as i64.
 */
static inline int osw_reduce_open_args(const osw_call *call,
                                       struct osw_reduce *r, int dim_arg,
                                       int keepdim_arg, int dtype_arg)
{
    const osw_arg *dtype = osw_arg_at(call, dtype_arg);
    int keepdim = osw_arg_int(call, keepdim_arg, 0) != 0;
    char mask[OSW_REDUCE_DIMS];
    int64_t shape[OSW_REDUCE_DIMS] = {0}, step = 1;
    int32_t ndim = 0;
    osw_dtype out;

    r->x = osw_arg_tensor(call, 0);
    if (!r->x || r->x->ndim > OSW_REDUCE_DIMS)
        return osw_error(call, "expected a tensor");
    if (r->x->dtype.code == OSW_COMPLEX)
        return OSW_UNSUPPORTED;
    if (osw_reduce_mask(call, osw_arg_at(call, dim_arg), r->x->ndim, mask))
        return OSW_ERROR;
    r->kept.n = r->summed.n = 0;
    r->kept.numel = r->summed.numel = 1;
    for (int32_t d = 0; d < r->x->ndim; d++) {
        osw_reduce_push(mask[d] ? &r->summed : &r->kept, r->x->shape[d],
                        r->x->strides[d]);
        if (!mask[d] || keepdim)
            shape[ndim++] = mask[d] ? 1 : r->x->shape[d];
    }
    for (int32_t d = r->x->ndim - 1; d >= 0; d--) {
        r->out_step[d] = mask[d] ? 0 : step;
        step *= mask[d] ? 1 : r->x->shape[d];
    }
    out = osw_rows_is_float(r->x) ? r->x->dtype : osw_rows_i64();
    if (dtype->tag == OSW_ARG_DTYPE)
        out = dtype->u.dtype;
    if (out.code == OSW_COMPLEX || osw_rows_narrows(r->x, out))
        return OSW_UNSUPPORTED;
    r->out = osw_output(call, 0, out, ndim, shape, NULL);
    return r->out ? 0 : OSW_ERROR;
}

/* (self, dim, keepdim, dtype) */
static inline int osw_reduce_open(const osw_call *call, struct osw_reduce *r)
{
    return osw_reduce_open_args(call, r, 1, 2, 3);
}

/* (self, dtype): one sum of all elements */
static inline int osw_reduce_open_all(const osw_call *call,
                                      struct osw_reduce *r)
{
    return osw_reduce_open_args(call, r, -1, -1, 1);
}

static inline int osw_reduce_is_float(osw_dtype t)
{
    return t.code == OSW_FLOAT || t.code == OSW_BFLOAT;
}

/* Is it a mean of floats?  Integers have one only with a dtype that is none:
 * argument `dtype`.
 */
static inline int osw_reduce_has_mean(const osw_call *call, int dtype)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const osw_arg *a = osw_arg_at(call, dtype);

    return !x ||
           osw_reduce_is_float(a->tag == OSW_ARG_DTYPE ? a->u.dtype : x->dtype);
}

/* The same for a mean. */
static inline int osw_reduce_open_mean(const osw_call *call,
                                       struct osw_reduce *r)
{
    return osw_reduce_has_mean(call, 3) ? osw_reduce_open(call, r)
                                        : OSW_UNSUPPORTED;
}

/* Of all elements. */
static inline int osw_reduce_open_mean_of_all(const osw_call *call,
                                              struct osw_reduce *r)
{
    return osw_reduce_has_mean(call, 1) ? osw_reduce_open_all(call, r)
                                        : OSW_UNSUPPORTED;
}

/* The sums divided, and the norm of what was summed from its squares. */
static inline void osw_reduce_finish(double *exact, double *norm, int64_t n,
                                     double divisor)
{
    for (int64_t k = 0; k < n; k++) {
        exact[k] /= divisor;
        if (norm)
            norm[k] = sqrt(norm[k]) / divisor;
    }
}

/* Every element of the input, in row-major order, is added to its element of
 * the output: in double, or in int64.  Then the sums are divided.
 */
static inline int osw_reduce_reference(const osw_call *call,
                                       const struct osw_reduce *r,
                                       double divisor)
{
    int is_float = osw_reduce_is_float(r->out->dtype);
    double *exact = is_float ? osw_output_exact(call, 0) : NULL;
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    int64_t *integers = (int64_t *)osw_data(r->out), n_out = osw_numel(r->out);
    int32_t last = r->x->ndim ? r->x->ndim - 1 : 0;
    struct osw_rows rows = osw_rows_of(r->x, last);

    if (is_float && !exact)
        return OSW_ERROR;
    if (!is_float &&
        (r->out->dtype.code != OSW_INT || r->out->dtype.bits != 64))
        return OSW_UNSUPPORTED;
    for (int64_t k = 0; k < n_out; k++) {
        if (is_float)
            exact[k] = 0.0;
        else
            integers[k] = 0;
        if (norm)
            norm[k] = 0.0;
    }
    for (int64_t row = 0; row < (rows.n ? rows.n_rows : 0); row++) {
        int64_t at = osw_rows_offset(&rows, row), step = r->out_step[last];
        int64_t k = 0, rest = row;

        for (int32_t d = last - 1; d >= 0; d--) {
            k += rest % r->x->shape[d] * r->out_step[d];
            rest /= r->x->shape[d];
        }
        for (int64_t i = 0; i < rows.n; i++, k += step) {
            const void *p = osw_at(r->x, at + i * rows.stride);
            double x;

            if (!is_float) {
                integers[k] = (int64_t)((uint64_t)integers[k] +
                                        (uint64_t)osw_load_int(r->x->dtype, p));
                continue;
            }
            x = osw_load(r->x->dtype, p);
            exact[k] += x;
            if (norm)
                norm[k] += x * x;
        }
    }
    if (is_float)
        osw_reduce_finish(exact, norm, n_out, divisor);
    return 0;
}

/* --- the implementation: runs along the innermost dimension --- */

enum { OSW_REDUCE_RUN = 256 };

/* Sum over all but one dimension, which lies along the runs: kept at `at` on.
 * sums [n], n <= OSW_REDUCE_RUN.
 */
static inline void osw_reduce_columns(const struct osw_reduce *r, int64_t at,
                                      int64_t stride, int64_t n, double *sums)
{
    float run[OSW_REDUCE_RUN];

    for (int64_t i = 0; i < n; i++)
        sums[i] = 0.0;
    for (int64_t s = 0; s < r->summed.numel; s++) {
        int64_t from = at + osw_reduce_offset(&r->summed, s);

        osw_convert_read(r->x->dtype, osw_at(r->x, from), stride, n, run);
        for (int64_t i = 0; i < n; i++)
            sums[i] += run[i];
    }
}

/* Sum of everything that is summed to the element at `at`, in runs along the
 * last summed dimension.
 */
static inline double osw_reduce_element(const struct osw_reduce *r, int64_t at)
{
    struct osw_reduce_dims outer = r->summed;
    int64_t n = 1, stride = 0;
    float run[OSW_REDUCE_RUN];
    double sum = 0.0;

    if (outer.n) {
        n = outer.shape[--outer.n];
        stride = outer.strides[outer.n];
        outer.numel = n ? outer.numel / n : 0;
    }
    for (int64_t o = 0; o < outer.numel; o++) {
        int64_t from = at + osw_reduce_offset(&outer, o);

        for (int64_t i = 0; i < n; i += OSW_REDUCE_RUN) {
            int64_t m = n - i < OSW_REDUCE_RUN ? n - i : OSW_REDUCE_RUN;

            osw_convert_read(r->x->dtype, osw_at(r->x, from + i * stride),
                             stride, m, run);
#pragma omp simd reduction(+ : sum)
            for (int64_t j = 0; j < m; j++)
                sum += run[j];
        }
    }
    return sum;
}

/* The sum of all elements, whose runs threads share. */
static inline double osw_reduce_whole(const osw_tensor *x, int threads)
{
    struct osw_rows rows = osw_rows_of(x, x->ndim ? x->ndim - 1 : 0);
    int whole = osw_is_contiguous(x);
    int64_t n = whole ? osw_numel(x) : rows.n, n_rows = whole ? 1 : rows.n_rows;
    int64_t stride = whole ? 1 : rows.stride;
    int64_t n_runs = (n + OSW_REDUCE_RUN - 1) / OSW_REDUCE_RUN;
    double sum = 0.0;

#pragma omp parallel for num_threads(threads) if (threads > 1)                 \
    reduction(+ : sum)
    for (int64_t i = 0; i < n_rows * n_runs; i++) {
        int64_t first = i % n_runs * OSW_REDUCE_RUN, m = n - first;
        int64_t at = osw_rows_offset(&rows, i / n_runs) + first * stride;
        float run[OSW_REDUCE_RUN];
        double part = 0.0;

        m = m < OSW_REDUCE_RUN ? m : OSW_REDUCE_RUN;
        osw_convert_read(x->dtype, osw_at(x, at), stride, m, run);
#pragma omp simd reduction(+ : part)
        for (int64_t j = 0; j < m; j++)
            part += run[j];
        sum += part;
    }
    return sum;
}

/* Does the last kept dimension lie closer in memory than the last summed? */
static inline int osw_reduce_by_columns(const struct osw_reduce *r)
{
    const struct osw_reduce_dims *k = &r->kept, *s = &r->summed;

    if (k->n == 0 || k->shape[k->n - 1] == 1)
        return 0;
    if (s->n == 0 || s->shape[s->n - 1] == 1)
        return 1;
    return k->strides[k->n - 1] <= s->strides[s->n - 1];
}

/* Integers and bool: element by element, exactly. */
static inline void osw_reduce_integers(const struct osw_reduce *r, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < r->kept.numel; k++) {
        int64_t at = osw_reduce_offset(&r->kept, k), sum = 0;

        for (int64_t i = 0; i < r->summed.numel; i++)
            sum += osw_load_int(
                r->x->dtype,
                osw_at(r->x, at + osw_reduce_offset(&r->summed, i)));
        ((int64_t *)osw_data(r->out))[k] = sum;
    }
}

static inline int osw_reduce_runs(const osw_call *call,
                                  const struct osw_reduce *r, double divisor)
{
    int threads = osw_rows_threads(call, r->kept.numel);
    int64_t n, n_runs, stride, kept = r->kept.numel;

    if (!osw_reduce_is_float(r->x->dtype) && r->out->dtype.code == OSW_INT &&
        r->out->dtype.bits == 64) {
        osw_reduce_integers(r, threads);
        return 0;
    }
    if (!osw_convert_knows(r->x->dtype) || !osw_reduce_is_float(r->out->dtype))
        return OSW_UNSUPPORTED;
    if (kept == 1) {
        threads = osw_rows_threads(call, r->summed.numel / 65536);
        osw_set(r->out, 0, osw_reduce_whole(r->x, threads) / divisor);
        return 0;
    }
    if (!osw_reduce_by_columns(r)) {
#pragma omp parallel for num_threads(threads)
        for (int64_t k = 0; k < kept; k++)
            osw_set(r->out, k,
                    osw_reduce_element(r, osw_reduce_offset(&r->kept, k)) /
                        divisor);
        return 0;
    }
    n = r->kept.shape[r->kept.n - 1];
    stride = r->kept.strides[r->kept.n - 1];
    n_runs = (n + OSW_REDUCE_RUN - 1) / OSW_REDUCE_RUN;
#pragma omp parallel for num_threads(threads) collapse(2)
    for (int64_t o = 0; o < (n ? kept / n : 0); o++)
        for (int64_t j = 0; j < n_runs; j++) {
            int64_t first = j * OSW_REDUCE_RUN;
            int64_t m = n - first < OSW_REDUCE_RUN ? n - first : OSW_REDUCE_RUN;
            int64_t at = osw_reduce_offset(&r->kept, o * n + first);
            double sums[OSW_REDUCE_RUN];

            osw_reduce_columns(r, at, stride, m, sums);
            for (int64_t i = 0; i < m; i++)
                osw_set(r->out, o * n + first + i, sums[i] / divisor);
        }
    return 0;
}

#endif /* OSW_LIBRARY_REDUCE_H */
