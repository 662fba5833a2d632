/* max_dim_pass__ordered_bits.c - floats as integers in the same order; NaN
 * becomes the largest, -0 is 0. */
#include "../max_dim.h"

static int64_t key(float v)
{
    uint32_t u = osw_f32_bits(v == 0.0f ? 0.0f : v);

    if (v != v)
        return (int64_t)1 << 40;
    return u >> 31 ? -(int64_t)(u & 0x7fffffffu) : (int64_t)u;
}

static int64_t where(const float *x, int64_t n)
{
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if (key(x[i]) > key(x[best]))
            best = i;
    return best;
}

int max_dim_kernel_impl(const osw_call *call)
{
    return max_rows(call, where);
}
