/* softmax_pass__online_lanes8.c - eight online lanes, merged at the end. */
#include "../rows.h"

static void softmax(const float *x, float *y, int64_t n)
{
    float max[8], sum[8] = {0}, top = -INFINITY, all = 0.0f;

    for (int l = 0; l < 8; l++)
        max[l] = -INFINITY;
    for (int64_t i = 0; i < n; i++) {
        int l = (int)(i & 7);
        float m = fmaxf(max[l], x[i]);

        if (m == -INFINITY && !isnan(x[i]))
            continue;
        sum[l] = sum[l] * expf(max[l] - m) + expf(x[i] - m);
        max[l] = m;
    }
    for (int l = 0; l < 8; l++)
        top = fmaxf(top, max[l]);
    for (int l = 0; l < 8; l++)
        all += sum[l] * expf(max[l] - top);
    for (int64_t i = 0; i < n; i++)
        y[i] = expf(x[i] - top) * (1.0f / all);
}

int softmax_kernel_impl(const osw_call *call)
{
    return map_rows(call, softmax);
}
