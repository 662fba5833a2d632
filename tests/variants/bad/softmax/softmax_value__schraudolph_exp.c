/* softmax_value__schraudolph_exp.c - wrong: exp by shifting bits, 3 % off. */
#include "../rows.h"

static float rough(float x)
{
    float v = x * 12102203.0f + 1064866805.0f;

    return v > 0.0f ? osw_f32_from_bits((uint32_t)v) : 0.0f;
}

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = rough(x[i] - max);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
