/* shared/softmax_reference.cuh - softmax and its kin in double, a block
 * to a row, any strides
 *
 * A formula has what is summed over a row, what an element becomes, and, where
 * terms of both signs are summed, the norm of an element's; see the references
 * that use it.
 */
#ifndef OSW_LIBRARY_SOFTMAX_REFERENCE_CUH
#define OSW_LIBRARY_SOFTMAX_REFERENCE_CUH

#include "groups.cuh"
#include "softmax.h"
#include "strided.cuh"

struct osw_softmax_exact {
    struct osw_row_view x, y; /* y: output, of the backward forms; else x */
    struct osw_strided out;   /* rows of `exact`, which has its shape */
    int64_t out_stride;
    double *exact, *norm; /* norm: NULL: not wanted */
};

/* Of a formula without norms. */
struct osw_softmax_plain {
    enum { WITH_NORM = 0 };

    __device__ static double norm(double, double, double)
    {
        return 0.0;
    }
};

__device__ static inline double osw_row_get(const struct osw_row_view *r,
                                            int64_t at, int64_t i)
{
    return osw_load(r->outer.dtype,
                    osw_strided_at(&r->outer, at + i * r->stride));
}

/* The largest element of x, NaN left out. */
__device__ static inline double osw_row_max(const struct osw_row_view *x,
                                            int64_t at)
{
    double max = -INFINITY;

    for (int64_t i = threadIdx.x; i < x->n; i += blockDim.x)
        max = fmax(max, osw_row_get(x, at, i));
    return osw_group_in_block(max, osw_group_larger());
}

/* F: double term(x, y, max), double value(x, y, max, sum of terms), double
 * norm(x, y, sum of squared terms)
 */
template <class F>
__global__ void osw_softmax_exact_kernel(struct osw_softmax_exact s)
{
    for (int64_t row = blockIdx.x; row < s.x.n_rows; row += gridDim.x) {
        int64_t x = osw_strided_offset(&s.x.outer, row);
        int64_t y = osw_strided_offset(&s.y.outer, row);
        int64_t out = osw_strided_offset(&s.out, row);
        double max = F::WITH_MAX ? osw_row_max(&s.x, x) : 0.0;
        double sum = 0.0, squares = 0.0;

        for (int64_t i = threadIdx.x; i < s.x.n; i += blockDim.x) {
            double term =
                F::term(osw_row_get(&s.x, x, i), osw_row_get(&s.y, y, i), max);

            sum += term;
            squares += term * term;
        }
        sum = osw_group_in_block(sum, osw_group_add());
        if (F::WITH_NORM)
            squares = osw_group_in_block(squares, osw_group_add());
        for (int64_t i = threadIdx.x; i < s.x.n; i += blockDim.x) {
            double a = osw_row_get(&s.x, x, i), b = osw_row_get(&s.y, y, i);

            s.exact[out + i * s.out_stride] = F::value(a, b, max, sum);
            if (F::WITH_NORM && s.norm)
                s.norm[out + i * s.out_stride] = F::norm(a, b, squares);
        }
    }
}

template <class F>
static inline int osw_softmax_reference(const osw_call *call,
                                        const struct osw_softmax *s)
{
    struct osw_softmax_exact e;
    struct osw_row_view out;
    int rc;

    e.exact = osw_output_exact(call, 0);
    if (!e.exact)
        return OSW_ERROR;
    e.norm = F::WITH_NORM ? osw_output_norm(call, 0) : NULL;
    rc = osw_row_view_of(&e.x, &s->x) || osw_row_view_of(&e.y, &s->y) ||
                 osw_row_view_of(&out, &s->out)
             ? OSW_UNSUPPORTED
             : 0;
    if (rc || s->x.n_rows * s->x.n == 0)
        return rc;
    e.out = out.outer;
    e.out_stride = out.stride;
    return osw_launch(call, osw_softmax_exact_kernel<F>,
                      dim3(osw_grid(e.x.n_rows, 1)),
                      dim3(e.x.n > 1024 ? 256 : 32), 0, e);
}

#endif /* OSW_LIBRARY_SOFTMAX_REFERENCE_CUH */
