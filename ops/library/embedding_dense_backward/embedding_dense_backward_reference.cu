/* ops/library/embedding_dense_backward/embedding_dense_backward_reference.cu -
 * out[indices[i]] += grad[i], in double
 *
 * A thread to an element of grad, with atomic additions: their order is not
 * fixed, which double hides.
 */
#include "../shared/picking.cuh"
#include "embedding_dense_backward.h"

struct view {
    struct osw_strided index;
    struct osw_row_view grad;
    int64_t n_weights, padding;
    unsigned long long *count; /* [n_weights]; NULL: sums are not scaled */
    double *exact, *norm;      /* [n_weights, grad.n]; norm may be NULL */
};

static __global__ void count_entries(struct view v)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < v.grad.n_rows; i += step)
        atomicAdd(v.count + osw_pick_at(&v.index, i, v.n_weights), 1ull);
}

static __global__ void add_entries(struct view v)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         x < v.grad.n_rows * v.grad.n; x += step) {
        int64_t i = x / v.grad.n, j = x % v.grad.n;
        int64_t k = osw_pick_at(&v.index, i, v.n_weights);
        int64_t at = osw_strided_offset(&v.grad.outer, i) + j * v.grad.stride;
        double term =
            osw_load(v.grad.outer.dtype, osw_strided_at(&v.grad.outer, at));

        if (k == v.padding)
            continue;
        if (v.count)
            term *= 1.0 / (double)v.count[k];
        atomicAdd(v.exact + k * v.grad.n + j, term);
        if (v.norm)
            atomicAdd(v.norm + k * v.grad.n + j, term * term);
    }
}

static __global__ void take_roots(double *norm, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += step)
        norm[i] = sqrt(norm[i]);
}

/* 0, or an error. */
static int prepare(const osw_call *call, const struct osw_embedding_back *e,
                   struct view *v)
{
    size_t bytes = (size_t)osw_numel(e->out) * sizeof(double);
    size_t count_bytes = (size_t)e->n_weights * 8;
    cudaStream_t stream = (cudaStream_t)call->stream;

    v->n_weights = e->n_weights;
    v->padding = e->padding;
    v->count = NULL;
    v->exact = osw_output_exact(call, 0);
    v->norm = osw_output_norm(call, 0);
    if (!v->exact)
        return OSW_ERROR;
    if (osw_strided_of(&v->index, e->indices) ||
        osw_row_view_of(&v->grad, &e->grad))
        return OSW_UNSUPPORTED;
    if (e->scale && count_bytes) {
        v->count = (unsigned long long *)osw_workspace(call, count_bytes);
        if (!v->count)
            return OSW_ERROR;
        cudaMemsetAsync(v->count, 0, count_bytes, stream);
    }
    cudaMemsetAsync(v->exact, 0, bytes, stream);
    if (v->norm)
        cudaMemsetAsync(v->norm, 0, bytes, stream);
    return 0;
}

extern "C" int embedding_dense_backward_meta(const osw_call *call)
{
    struct osw_embedding_back e = {};

    return osw_embedding_back_open(call, &e);
}

extern "C" int embedding_dense_backward_reference(const osw_call *call)
{
    struct osw_embedding_back e = {};
    struct view v;
    int rc = osw_embedding_back_open(call, &e);
    int64_t n;

    if (!rc)
        rc = prepare(call, &e, &v);
    n = rc ? 0 : v.grad.n_rows * v.grad.n;
    if (rc || n == 0)
        return rc;
    if (v.count)
        osw_launch(call, count_entries, dim3(osw_grid(v.grad.n_rows, 256)),
                   dim3(256), 0, v);
    osw_launch(call, add_entries, dim3(osw_grid(n, 256)), dim3(256), 0, v);
    if (v.norm)
        osw_launch(call, take_roots, dim3(osw_grid(osw_numel(e.out), 256)),
                   dim3(256), 0, v.norm, osw_numel(e.out));
    return 0;
}
