/* ops/library/native_batch_norm_backward/native_batch_norm_backward_reference.cu
 * - in double, a block to each channel
 */
#include "../shared/batch_norm.h"
#include "../shared/groups.cuh"
#include "../shared/strided.cuh"

extern "C" int native_batch_norm_backward_meta(const osw_call *call)
{
    struct osw_batch_norm b = {};

    return osw_batch_norm_open_backward(call, &b);
}

/* dx, and those of each channel: the sums of grad * y and grad, their norms. */
struct exact {
    double *dx, *sum[2], *norm[2];
};

__device__ static double y_of(const struct osw_batch_norm &b, int64_t c,
                              int64_t i)
{
    return (osw_batch_norm_get(&b.x, c, i) - osw_channels_get(&b.mean, c, 0)) *
           osw_batch_norm_scale(&b, c);
}

__global__ static void to_channels(const struct osw_batch_norm b,
                                   struct exact e)
{
    int64_t plane = b.out.y * b.out.x;
    double n = (double)b.n;

    for (int64_t c = blockIdx.x; c < b.x.c; c += gridDim.x) {
        double s[4] = {0.0, 0.0, 0.0, 0.0};

        for (int64_t i = threadIdx.x; i < b.n; i += blockDim.x) {
            double g = osw_batch_norm_get(&b.grad, c, i),
                   gy = g * y_of(b, c, i);

            s[0] += gy;
            s[1] += g;
            s[2] += gy * gy;
            s[3] += g * g;
        }
        for (int k = 0; k < 4; k++)
            s[k] = osw_group_in_block(s[k], osw_group_add());
        for (int k = 0; k < 2 && threadIdx.x == 0; k++) {
            if (e.sum[k])
                e.sum[k][c] = s[k];
            if (e.norm[k])
                e.norm[k][c] = sqrt(s[2 + k]);
        }
        for (int64_t i = threadIdx.x; e.dx && i < b.n; i += blockDim.x) {
            double g = osw_batch_norm_get(&b.grad, c, i);

            if (b.training)
                g -= s[1] / n + y_of(b, c, i) * s[0] / n;
            e.dx[osw_image_offset(&b.out, i / plane, c, i / b.out.x % b.out.y,
                                  i % b.out.x)] =
                g * osw_batch_norm_scale(&b, c) *
                osw_channels_get(&b.weight, c, 1);
        }
    }
}

extern "C" int native_batch_norm_backward_reference(const osw_call *call)
{
    struct osw_batch_norm b = {};
    struct exact e = {};
    int rc = osw_batch_norm_open_backward(call, &b);
    const int output[2] = {b.i_dweight, b.i_dbias};

    if (rc)
        return rc;
    if (b.i_out >= 0 && !(e.dx = osw_output_exact(call, b.i_out)))
        return OSW_ERROR;
    for (int k = 0; k < 2; k++) {
        if (output[k] < 0)
            continue;
        e.sum[k] = osw_output_exact(call, output[k]);
        if (!e.sum[k])
            return OSW_ERROR;
        e.norm[k] = osw_output_norm(call, output[k]);
    }
    return osw_launch(call, to_channels, dim3(osw_grid(b.x.c, 1)), dim3(256), 0,
                      b, e);
}
