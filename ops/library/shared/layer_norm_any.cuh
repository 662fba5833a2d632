/* shared/layer_norm_any.cuh - layer norm and its gradients in double, any
 * strides and dtypes
 *
 * The references, and what the fast kernels leave.
 */
#ifndef OSW_LIBRARY_LAYER_NORM_ANY_CUH
#define OSW_LIBRARY_LAYER_NORM_ANY_CUH

#include "groups.cuh"
#include "layer_norm.h"
#include "strided.cuh"

/* Tensors as flat sequences; data NULL where there is none. */
struct osw_layer_norm_any {
    struct osw_strided x, weight, bias, grad, mean, rstd;
    int64_t n_rows, n;
    double eps;
    struct osw_target out, out_mean, out_rstd; /* forward */
    struct osw_target dx, dweight, dbias;      /* backward */
    struct osw_target dweight_norm, dbias_norm;
};

/* 0, or OSW_UNSUPPORTED. */
static inline int osw_layer_norm_strided(struct osw_strided *s,
                                         const osw_tensor *t)
{
    s->data = NULL;
    return t ? osw_strided_of(s, t) : 0;
}

static inline int osw_layer_norm_any_of(struct osw_layer_norm_any *e,
                                        const struct osw_layer_norm *l)
{
    memset(e, 0, sizeof(*e));
    e->n_rows = l->n_rows;
    e->n = l->n;
    e->eps = l->eps;
    return osw_layer_norm_strided(&e->x, l->x) ||
                   osw_layer_norm_strided(&e->weight, l->weight) ||
                   osw_layer_norm_strided(&e->bias, l->bias) ||
                   osw_layer_norm_strided(&e->grad, l->grad) ||
                   osw_layer_norm_strided(&e->mean, l->mean) ||
                   osw_layer_norm_strided(&e->rstd, l->rstd)
               ? OSW_UNSUPPORTED
               : 0;
}

__device__ static inline double
osw_layer_norm_factor(const struct osw_strided &weight, int64_t i, double none)
{
    return weight.data ? osw_strided_get(&weight, i) : none;
}

/* --- forward: a block to a row --- */

static __global__ void osw_layer_norm_forward(struct osw_layer_norm_any e)
{
    for (int64_t row = blockIdx.x; row < e.n_rows; row += gridDim.x) {
        int64_t at = row * e.n;
        double mean = 0.0, variance = 0.0, rstd;

        for (int64_t i = threadIdx.x; i < e.n; i += blockDim.x)
            mean += osw_strided_get(&e.x, at + i) / (double)e.n;
        mean = osw_group_in_block(mean, osw_group_add());
        for (int64_t i = threadIdx.x; i < e.n; i += blockDim.x) {
            double x = osw_strided_get(&e.x, at + i) - mean;

            variance += x * x / (double)e.n;
        }
        variance = osw_group_in_block(variance, osw_group_add());
        rstd = 1.0 / sqrt(variance + e.eps);
        for (int64_t i = threadIdx.x; i < e.n; i += blockDim.x)
            osw_target_put(&e.out, at + i,
                           (osw_strided_get(&e.x, at + i) - mean) * rstd *
                                   osw_layer_norm_factor(e.weight, i, 1.0) +
                               osw_layer_norm_factor(e.bias, i, 0.0));
        if (threadIdx.x == 0) {
            osw_target_put(&e.out_mean, row, mean);
            osw_target_put(&e.out_rstd, row, rstd);
        }
    }
}

/* --- backward --- */

/* y: the normalised element; g: its gradient times the weight. */
struct osw_layer_norm_pair {
    double y, g;
};

__device__ static inline struct osw_layer_norm_pair
osw_layer_norm_pair_at(const struct osw_layer_norm_any &e, int64_t row,
                       int64_t i, double mean, double rstd)
{
    struct osw_layer_norm_pair p;

    p.y = (osw_strided_get(&e.x, row * e.n + i) - mean) * rstd;
    p.g = osw_strided_get(&e.grad, row * e.n + i) *
          osw_layer_norm_factor(e.weight, i, 1.0);
    return p;
}

/* dx: a block to a row */
static __global__ void osw_layer_norm_dx(struct osw_layer_norm_any e)
{
    for (int64_t row = blockIdx.x; row < e.n_rows; row += gridDim.x) {
        double mean = osw_strided_get(&e.mean, row);
        double rstd = osw_strided_get(&e.rstd, row);
        double mean_g = 0.0, mean_gy = 0.0;

        for (int64_t i = threadIdx.x; i < e.n; i += blockDim.x) {
            struct osw_layer_norm_pair p =
                osw_layer_norm_pair_at(e, row, i, mean, rstd);

            mean_g += p.g / (double)e.n;
            mean_gy += p.g * p.y / (double)e.n;
        }
        mean_g = osw_group_in_block(mean_g, osw_group_add());
        mean_gy = osw_group_in_block(mean_gy, osw_group_add());
        for (int64_t i = threadIdx.x; i < e.n; i += blockDim.x) {
            struct osw_layer_norm_pair p =
                osw_layer_norm_pair_at(e, row, i, mean, rstd);

            osw_target_put(&e.dx, row * e.n + i,
                           rstd * (p.g - mean_g - p.y * mean_gy));
        }
    }
}

/* dweight and dbias: a block to a column */
static __global__ void osw_layer_norm_dweight(struct osw_layer_norm_any e)
{
    for (int64_t i = blockIdx.x; i < e.n; i += gridDim.x) {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        const struct osw_target *to[4] = {&e.dweight, &e.dbias, &e.dweight_norm,
                                          &e.dbias_norm};

        for (int64_t row = threadIdx.x; row < e.n_rows; row += blockDim.x) {
            double g = osw_strided_get(&e.grad, row * e.n + i);
            double y = (osw_strided_get(&e.x, row * e.n + i) -
                        osw_strided_get(&e.mean, row)) *
                       osw_strided_get(&e.rstd, row);

            sums[0] += g * y;
            sums[1] += g;
            sums[2] += g * y * g * y;
            sums[3] += g * g;
        }
        for (int k = 0; k < 4; k++) {
            double sum = osw_group_in_block(sums[k], osw_group_add());

            if (threadIdx.x == 0)
                osw_target_put(to[k], i, k < 2 ? sum : sqrt(sum));
        }
    }
}

static inline unsigned osw_layer_norm_threads(int64_t n)
{
    return n > 1024 ? 256 : 32;
}

/* exact: for a reference, else for an implementation. */
static inline int osw_layer_norm_any_forward(const osw_call *call,
                                             const struct osw_layer_norm *l,
                                             int exact)
{
    struct osw_layer_norm_any e;

    if (osw_layer_norm_any_of(&e, l))
        return OSW_UNSUPPORTED;
    if (osw_target_of(&e.out, call, l->out, exact ? 0 : -1) ||
        osw_target_of(&e.out_mean, call, l->out_mean, exact ? 1 : -1) ||
        osw_target_of(&e.out_rstd, call, l->out_rstd, exact ? 2 : -1))
        return OSW_ERROR;
    if (e.n_rows == 0)
        return 0;
    return osw_launch(call, osw_layer_norm_forward, dim3(osw_grid(e.n_rows, 1)),
                      dim3(osw_layer_norm_threads(e.n)), 0, e);
}

static inline int osw_layer_norm_any_backward(const osw_call *call,
                                              const struct osw_layer_norm *l,
                                              int exact)
{
    struct osw_layer_norm_any e;

    if (osw_layer_norm_any_of(&e, l))
        return OSW_UNSUPPORTED;
    if (osw_target_of(&e.dx, call, l->dx, exact ? l->i_dx : -1) ||
        osw_target_of(&e.dweight, call, l->dweight,
                      exact ? l->i_dweight : -1) ||
        osw_target_of(&e.dbias, call, l->dbias, exact ? l->i_dbias : -1))
        return OSW_ERROR;
    if (exact && l->dweight)
        e.dweight_norm.exact = osw_output_norm(call, l->i_dweight);
    if (exact && l->dbias)
        e.dbias_norm.exact = osw_output_norm(call, l->i_dbias);
    if (osw_target_is(&e.dx) && e.n_rows * e.n > 0)
        osw_launch(call, osw_layer_norm_dx, dim3(osw_grid(e.n_rows, 1)),
                   dim3(osw_layer_norm_threads(e.n)), 0, e);
    if ((osw_target_is(&e.dweight) || osw_target_is(&e.dbias)) && e.n > 0)
        osw_launch(call, osw_layer_norm_dweight, dim3(osw_grid(e.n, 1)),
                   dim3(osw_layer_norm_threads(e.n_rows)), 0, e);
    return 0;
}

#endif /* OSW_LIBRARY_LAYER_NORM_ANY_CUH */
