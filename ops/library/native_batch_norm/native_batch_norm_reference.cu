/* ops/library/native_batch_norm/native_batch_norm_reference.cu - in double, a
 * block to each channel
 */
#include "../shared/batch_norm.h"
#include "../shared/groups.cuh"
#include "../shared/strided.cuh"

extern "C" int native_batch_norm_meta(const osw_call *call)
{
    struct osw_batch_norm b = {};

    return osw_batch_norm_open(call, &b);
}

struct exact {
    double *out, *mean, *invstd, *running[2];
};

__device__ static double sum(double v)
{
    return osw_group_in_block(v, osw_group_add());
}

__global__ static void normalize(const struct osw_batch_norm b, struct exact e)
{
    double n = (double)b.n, m = b.momentum;

    for (int64_t c = blockIdx.x; c < b.x.c; c += gridDim.x) {
        double mean = osw_channels_get(&b.running_mean, c, 0);
        double variance = osw_channels_get(&b.running_var, c, 0);
        const double old[2] = {mean, variance};

        if (b.training) {
            mean = variance = 0.0;
            for (int64_t i = threadIdx.x; i < b.n; i += blockDim.x)
                mean += osw_batch_norm_get(&b.x, c, i) / n;
            mean = sum(mean);
            for (int64_t i = threadIdx.x; i < b.n; i += blockDim.x) {
                double d = osw_batch_norm_get(&b.x, c, i) - mean;

                variance += d * d / n;
            }
            variance = sum(variance);
        }
        if (b.training && threadIdx.x == 0) {
            e.mean[c] = mean;
            e.invstd[c] = osw_batch_norm_invstd(variance, b.eps);
            if (e.running[0])
                e.running[0][c] = (1 - m) * old[0] + m * mean;
            if (e.running[1])
                e.running[1][c] = (1 - m) * old[1] + m * variance * n / (n - 1);
        }
        for (int64_t i = threadIdx.x; i < b.n; i += blockDim.x) {
            int64_t plane = b.out.y * b.out.x;

            e.out[osw_image_offset(&b.out, i / plane, c, i / b.out.x % b.out.y,
                                   i % b.out.x)] =
                (osw_batch_norm_get(&b.x, c, i) - mean) *
                    osw_batch_norm_invstd(variance, b.eps) *
                    osw_channels_get(&b.weight, c, 1) +
                osw_channels_get(&b.bias, c, 0);
        }
    }
}

extern "C" int native_batch_norm_reference(const osw_call *call)
{
    struct osw_batch_norm b = {};
    struct exact e = {};
    int rc = osw_batch_norm_open(call, &b), n = 3;

    if (rc)
        return rc;
    e.out = osw_output_exact(call, 0);
    e.mean = osw_output_exact(call, 1);
    e.invstd = osw_output_exact(call, 2);
    for (int i = 0; b.training && i < 2; i++)
        if (osw_arg_tensor(call, 3 + i))
            e.running[i] = osw_output_exact(call, n++);
    if (!e.out || !e.mean || !e.invstd)
        return OSW_ERROR;
    if (b.n == 0)
        return 0;
    return osw_launch(call, normalize, dim3(osw_grid(b.x.c, 1)), dim3(256), 0,
                      b, e);
}
