/* cumsum_pass__blelloch.c - blelloch: up a tree of sums and down again, over a
 * power of two. */
#include "../rows.h"

static void scan(const float *x, float *y, int64_t n)
{
    int64_t m = 1;
    float *t;

    while (m < n)
        m *= 2;
    t = calloc((size_t)m, sizeof(float));
    memcpy(t, x, (size_t)n * sizeof(float));
    for (int64_t d = 1; d < m; d *= 2)
        for (int64_t i = 2 * d - 1; i < m; i += 2 * d)
            t[i] += t[i - d];
    t[m - 1] = 0.0f;
    for (int64_t d = m / 2; d; d /= 2)
        for (int64_t i = 2 * d - 1; i < m; i += 2 * d) {
            float left = t[i - d];

            t[i - d] = t[i];
            t[i] += left;
        }
    for (int64_t i = 0; i < n; i++)
        y[i] = t[i] + x[i];
    free(t);
}

int cumsum_kernel_impl(const osw_call *call)
{
    return map_rows(call, scan);
}
