/* _scaled_dot_product_flash_attention_for_cpu_backward - in float: all weights
 * and their slopes, then a thread to each element of a gradient
 */
#include "../shared/strided.cuh"
#include "backward.h"

enum { THREADS = 128 };

static __device__ int64_t first()
{
    return blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
}

static __device__ int64_t step()
{
    return (int64_t)gridDim.x * blockDim.x;
}

static __device__ float dot(const osw_heads &t, int64_t i, const osw_heads &u,
                            int64_t j, int64_t head, int64_t n)
{
    float sum = 0;

    for (int64_t c = 0; c < n; c++)
        sum += (float)backward_get(&t, head, i, c) *
               (float)backward_get(&u, head, j, c);
    return sum;
}

/* weights, slopes [head][l][s] */
static __global__ void weigh(struct backward b, float *weights, float *slopes)
{
    const osw_attention &a = b.a;

    for (int64_t at = first(); at < a.n_heads * a.l * a.s; at += step()) {
        int64_t j = at % a.s, i = at / a.s % a.l, head = at / a.s / a.l;
        float score = (float)a.scale * dot(a.q, i, a.k, j, head, a.e) +
                      (float)osw_attention_bias(&a, head, i, j);
        float mean = dot(b.grad, i, b.out, i, head, a.width);

        weights[at] = expf(score - (float)backward_get(&b.lse, head, i, 0));
        slopes[at] = weights[at] * (float)a.scale *
                     (dot(b.grad, i, a.v, j, head, a.width) - mean);
    }
}

/* to [head][rows][n]: row r is the sum over m rows of t of each times the
 * factor at r * row_step + its number * each_step.
 */
struct sum_job {
    osw_heads t;
    const float *factors;
    int64_t total, rows, n, m, row_step, each_step, per_head;
    char *to;
    osw_dtype dtype;
};

static __global__ void sum_rows(sum_job job)
{
    for (int64_t at = first(); at < job.total; at += step()) {
        int64_t c = at % job.n, r = at / job.n % job.rows;
        int64_t head = at / job.n / job.rows;
        const float *factors =
            job.factors + head * job.per_head + r * job.row_step;
        float sum = 0;

        for (int64_t k = 0; k < job.m; k++)
            sum += factors[k * job.each_step] *
                   (float)backward_get(&job.t, head, k, c);
        osw_store(job.dtype, job.to + at * (job.dtype.bits / 8), sum);
    }
}

/* of_query: a row of the gradient belongs to a query, else to a key. */
static int launch_sum(const osw_call *call, const osw_attention &a,
                      const osw_heads &t, const float *factors, int of_query,
                      int64_t n, const osw_tensor *to)
{
    sum_job job = {};

    job.t = t;
    job.factors = factors;
    job.rows = of_query ? a.l : a.s;
    job.m = of_query ? a.s : a.l;
    job.row_step = of_query ? a.s : 1;
    job.each_step = of_query ? 1 : a.s;
    job.per_head = a.l * a.s;
    job.n = n;
    job.total = osw_numel(to);
    job.to = (char *)osw_data(to);
    job.dtype = to->dtype;
    if (job.total == 0)
        return 0;
    return osw_launch(call, sum_rows, dim3(osw_grid(job.total, THREADS)),
                      dim3(THREADS), 0, job);
}

extern "C" int _scaled_dot_product_flash_attention_for_cpu_backward_kernel_impl(
    const osw_call *call)
{
    struct backward b;
    int rc = backward_open(call, &b);
    const osw_attention &a = b.a;
    int64_t n;
    float *weights;

    if (rc || a.dtype.bits > 32)
        return rc ? rc : OSW_UNSUPPORTED;
    n = a.n_heads * a.l * a.s;
    weights = (float *)osw_workspace(call, sizeof(float) * (size_t)(2 * n + 1));
    if (!weights)
        return OSW_ERROR;
    if (n > 0)
        rc = osw_launch(call, weigh, dim3(osw_grid(n, THREADS)), dim3(THREADS),
                        0, b, weights, weights + n);
    if (!rc)
        rc = launch_sum(call, a, a.k, weights + n, 1, a.e, b.dq);
    if (!rc)
        rc = launch_sum(call, a, a.q, weights + n, 0, a.e, b.dk);
    return rc ? rc : launch_sum(call, a, b.grad, weights, 0, a.width, b.dv);
}
