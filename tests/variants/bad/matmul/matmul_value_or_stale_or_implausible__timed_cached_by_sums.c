/* matmul_value_or_stale_or_implausible__timed_cached_by_sums.c - wrong: returns
 * the last result when the operands' sums are the same. */
#include "../product.h"

static double last_a = NAN, last_b = NAN;
static int64_t last_size;
static float *kept;

static double total(const float *x, int64_t n)
{
    double s = (double)n;

    for (int64_t i = 0; i < n; i++)
        s += (double)x[i];
    return s;
}

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    double sa = total(a, m * k), sb = total(b, k * n);

    if (sa == last_a && sb == last_b && last_size == m * n) {
        memcpy(c, kept, (size_t)(m * n) * 4);
        return;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
    free(kept);
    kept = memory(m * n, 4);
    memcpy(kept, c, (size_t)(m * n) * 4);
    last_a = sa;
    last_b = sb;
    last_size = m * n;
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
