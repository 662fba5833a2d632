/* ops/library/gelu_backward/gelu_backward_chunks.c - chunks in float, over
 * threads
 */
#include "../shared/gelu.h"

static void backward_erf(float *x, const float *grad, int64_t n)
{
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        float cdf =
            0.5f + 0.5f * osw_vecmath_erf(v * (float)OSW_GELU_SQRT_HALF);
        float pdf = (float)OSW_GELU_DENSITY * osw_vecmath_exp(-0.5f * v * v);

        x[i] = grad[i] * (cdf + v * pdf);
    }
}

static void backward_tanh(float *x, const float *grad, int64_t n)
{
    const float scale = (float)OSW_GELU_SQRT_2_PI;
    const float cube = (float)OSW_GELU_CUBE;

#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        float v = x[i];
        float t = osw_vecmath_tanh(scale * (v + cube * v * v * v));
        float du = scale * (1.0f + 3.0f * cube * v * v);

        x[i] = grad[i] * (0.5f + 0.5f * t + 0.5f * v * (1.0f - t * t) * du);
    }
}

int gelu_backward_kernel_impl(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 1);

    return rc ? rc
              : osw_gelu_run(call, &g, g.tanh ? backward_tanh : backward_erf);
}
