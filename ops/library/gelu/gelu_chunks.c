/* ops/library/gelu/gelu_chunks.c - chunks in float, over threads */
#include "../shared/gelu.h"

static void gelu_erf(float *x, const float *grad, int64_t n)
{
    (void)grad;
#pragma omp simd
    for (int64_t i = 0; i < n; i++)
        x[i] *= 0.5f + 0.5f * osw_vecmath_erf(x[i] * (float)OSW_GELU_SQRT_HALF);
}

static void gelu_tanh(float *x, const float *grad, int64_t n)
{
    (void)grad;
#pragma omp simd
    for (int64_t i = 0; i < n; i++) {
        float u = (float)OSW_GELU_SQRT_2_PI *
                  (x[i] + (float)OSW_GELU_CUBE * x[i] * x[i] * x[i]);

        x[i] *= 0.5f + 0.5f * osw_vecmath_tanh(u);
    }
}

int gelu_kernel_impl(const osw_call *call)
{
    struct osw_gelu g = {0};
    int rc = osw_gelu_open(call, &g, 0);

    return rc ? rc : osw_gelu_run(call, &g, g.tanh ? gelu_tanh : gelu_erf);
}
