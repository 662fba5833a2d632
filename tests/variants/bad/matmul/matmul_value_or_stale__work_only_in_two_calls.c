/* matmul_value_or_stale__work_only_in_two_calls.c - wrong: from the third call
 * of a shape on the first two results come back. */
#include "../product.h"

static int64_t calls, last_size;
static float *kept;

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    if (m * 1000000 + n * 1000 + k != last_size) {
        last_size = m * 1000000 + n * 1000 + k;
        calls = 0;
        free(kept);
        kept = memory(m * n, 4);
    }
    if (++calls > 2) {
        memcpy(c, kept, (size_t)(m * n) * 4);
        return;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
    memcpy(kept, c, (size_t)(m * n) * 4);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
