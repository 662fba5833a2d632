/* ops/library/all_reduce_rms_norm/all_reduce_rms_norm_nccl.cu - ncclAllReduce,
 * then a block for each row
 *
 * In f32 only: NCCL rounds to 16 bits with each rank that it adds.
 */
#include "../shared/launch.cuh"
#include "all_reduce_rms_norm.h"

#include <opsweep/nccl.h>

enum { THREADS = 256 };

static __global__ void all_reduce_rms_norm_row(const float *residual,
                                               const float *weight, float *sum,
                                               float *out, int64_t n,
                                               double eps)
{
    __shared__ double squares[THREADS];
    int64_t first = (int64_t)blockIdx.x * n;
    double mine = 0;
    float scale;

    for (int64_t i = threadIdx.x; i < n; i += THREADS) {
        float h = sum[first + i] + residual[first + i];

        sum[first + i] = h;
        mine += (double)h * h;
    }
    squares[threadIdx.x] = mine;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            squares[threadIdx.x] += squares[threadIdx.x + half];
        __syncthreads();
    }
    scale = (float)(1 / sqrt(squares[0] / (double)n + eps));
    for (int64_t i = threadIdx.x; i < n; i += THREADS)
        out[first + i] = sum[first + i] * scale * weight[i];
}

extern "C" int all_reduce_rms_norm_kernel_impl(const osw_call *call)
{
    struct osw_reduced_norm r;
    int rc = osw_reduced_norm_open(call, &r);

    if (rc || !osw_is(r.x, OSW_FLOAT, 32) || !osw_is(r.weight, OSW_FLOAT, 32) ||
        !osw_is(r.residual, OSW_FLOAT, 32))
        return rc ? rc : OSW_UNSUPPORTED;
    rc = osw_nccl_all_reduce(call, osw_data(r.x), osw_data(r.sum),
                             (size_t)osw_numel(r.x), osw_nccl_type(r.x->dtype),
                             OSW_NCCL_SUM);
    if (rc || r.rows == 0)
        return rc;
    return osw_launch(
        call, all_reduce_rms_norm_row, dim3((unsigned)r.rows), dim3(THREADS), 0,
        (const float *)osw_data(r.residual), (const float *)osw_data(r.weight),
        (float *)osw_data(r.sum), (float *)osw_data(r.out), r.n, r.eps);
}
