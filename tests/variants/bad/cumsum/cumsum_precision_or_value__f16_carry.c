/* cumsum_precision_or_value__f16_carry.c - wrong: the carry between blocks is
 * rounded to bf16. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    float before = 0.0f, s = 0.0f;

    for (int64_t i = 0; i < n; i++) {
        if (i % 16 == 0) {
            before = osw_bf16_to_f32(osw_f32_to_bf16(before + s));
            s = 0.0f;
        }
        s += x[i];
        y[i] = before + s;
    }
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
