/* layer_norm_value__statistics_of_the_first_row.c - wrong: keeps mean and
 * variance of a call's first row for the others. */
#include "../norms.h"

static const float *previous;
static float mean, rstd;

static void norm(const float *x, const float *w, const float *b, float *y,
                 int64_t n, float eps)
{
    if (x != previous + n) {
        float var = 0.0f;

        mean = 0.0f;
        for (int64_t i = 0; i < n; i++)
            mean += x[i] / (float)n;
        for (int64_t i = 0; i < n; i++)
            var += (x[i] - mean) * (x[i] - mean);
        rstd = 1.0f / sqrtf(var / (float)n + eps);
    }
    previous = x;
    for (int64_t i = 0; i < n; i++)
        y[i] = (x[i] - mean) * rstd * w[i] + b[i];
}

int layer_norm_kernel_impl(const osw_call *call)
{
    previous = NULL;
    return map_norm(call, 1, norm);
}
