/* shared/reduce_any.cuh - sums over dimensions, a block to a sum, any
 * strides and dtypes: floats in double, integers in int64
 *
 * The references, and what the fast kernels leave.
 */
#ifndef OSW_LIBRARY_REDUCE_ANY_CUH
#define OSW_LIBRARY_REDUCE_ANY_CUH

#include "groups.cuh"
#include "reduce.h"
#include "strided.cuh"

struct osw_reduce_view {
    struct osw_strided kept, summed; /* of x: offsets add up */
    int64_t n_kept, n_summed;
    double divisor;
    double *exact, *norm; /* [n_kept]; where NULL, `out` is written instead */
    char *out;            /* contiguous */
    osw_dtype dtype;      /* of out */
};

static inline int osw_reduce_part(struct osw_strided *s, const osw_tensor *x,
                                  const struct osw_reduce_dims *d)
{
    int ok = 1;

    s->data = (char *)osw_data(x);
    s->dtype = x->dtype;
    s->ndim = 0;
    for (int32_t i = 0; i < d->n; i++)
        ok &= osw_strided_push(s, d->shape[i], d->strides[i]);
    return ok ? 0 : OSW_UNSUPPORTED;
}

static inline int osw_reduce_view_of(struct osw_reduce_view *v,
                                     const struct osw_reduce *r, double divisor)
{
    v->n_kept = r->kept.numel;
    v->n_summed = r->summed.numel;
    v->divisor = divisor;
    v->exact = v->norm = NULL;
    v->out = (char *)osw_data(r->out);
    v->dtype = r->out->dtype;
    if (!osw_reduce_is_float(v->dtype) &&
        (v->dtype.code != OSW_INT || v->dtype.bits != 64))
        return OSW_UNSUPPORTED;
    return osw_reduce_part(&v->kept, r->x, &r->kept) ||
                   osw_reduce_part(&v->summed, r->x, &r->summed)
               ? OSW_UNSUPPORTED
               : 0;
}

static __global__ void osw_reduce_floats(struct osw_reduce_view v)
{
    for (int64_t k = blockIdx.x; k < v.n_kept; k += gridDim.x) {
        int64_t at = osw_strided_offset(&v.kept, k);
        double sum = 0.0, squares = 0.0;

        for (int64_t i = threadIdx.x; i < v.n_summed; i += blockDim.x) {
            double x =
                osw_load(v.summed.dtype,
                         osw_strided_at(&v.summed,
                                        at + osw_strided_offset(&v.summed, i)));

            sum += x;
            squares += x * x;
        }
        sum = osw_group_in_block(sum, osw_group_add()) / v.divisor;
        squares = osw_group_in_block(squares, osw_group_add());
        if (threadIdx.x != 0)
            continue;
        if (v.exact)
            v.exact[k] = sum;
        else
            osw_store(v.dtype, v.out + k * (v.dtype.bits / 8), sum);
        if (v.norm)
            v.norm[k] = sqrt(squares) / v.divisor;
    }
}

static __global__ void osw_reduce_ints(struct osw_reduce_view v)
{
    for (int64_t k = blockIdx.x; k < v.n_kept; k += gridDim.x) {
        int64_t at = osw_strided_offset(&v.kept, k), sum = 0;

        for (int64_t i = threadIdx.x; i < v.n_summed; i += blockDim.x)
            sum += osw_load_int(
                v.summed.dtype,
                osw_strided_at(&v.summed,
                               at + osw_strided_offset(&v.summed, i)));
        sum = osw_group_in_block(sum, osw_group_add());
        if (threadIdx.x == 0)
            ((int64_t *)v.out)[k] = sum;
    }
}

static inline int osw_reduce_any(const osw_call *call,
                                 const struct osw_reduce_view *v)
{
    int threads = v->n_summed > 16384 ? 1024 : v->n_summed > 256 ? 256 : 32;

    if (v->n_kept == 0)
        return 0;
    return osw_launch(
        call,
        osw_reduce_is_float(v->dtype) ? osw_reduce_floats : osw_reduce_ints,
        dim3(osw_grid(v->n_kept, 1)), dim3((unsigned)threads), 0, *v);
}

static inline int osw_reduce_exact(const osw_call *call,
                                   const struct osw_reduce *r, double divisor)
{
    struct osw_reduce_view v;
    int rc = osw_reduce_view_of(&v, r, divisor);

    if (!rc && osw_reduce_is_float(v.dtype)) {
        v.exact = osw_output_exact(call, 0);
        v.norm = osw_output_norm(call, 0);
        rc = v.exact ? 0 : OSW_ERROR;
    }
    return rc ? rc : osw_reduce_any(call, &v);
}

#endif /* OSW_LIBRARY_REDUCE_ANY_CUH */
