/* softmax_value_or_precision__exp_in_bf16.c - wrong: exponentials are rounded
 * to bf16, as a tensor-core kernel may do. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = osw_bf16_to_f32(osw_f32_to_bf16(expf(x[i] - max)));
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
