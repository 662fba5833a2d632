/* cumsum_pass__blocks64.c - blocks of 64 are scanned, then each gets the sum of
 * those before it. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    float before = 0.0f;

    for (int64_t b = 0; b < n; b += 64) {
        int64_t end = b + 64 < n ? b + 64 : n;
        float s = 0.0f;

        for (int64_t i = b; i < end; i++) {
            s += x[i];
            y[i] = before + s;
        }
        before += s;
    }
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
