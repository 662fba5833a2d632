/* softmax_pass__own_exp.c - an exp of its own, a blocked sum, a reciprocal. */
#include "../fast_exp.h"
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f, scale;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t b = 0; b < n; b += 64) {
        float part = 0.0f;

        for (int64_t i = b; i < n && i < b + 64; i++)
            part += y[i] = fast_exp(x[i] - max);
        sum += part;
    }
    scale = 1.0f / sum;
    for (int64_t i = 0; i < n; i++)
        y[i] *= scale;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
