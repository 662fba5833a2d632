/* matmul_value_or_nan__uninitialised_accumulators.c - wrong: adds to memory
 * from malloc. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    float *t = malloc((size_t)(m * n) * 4 + 4096);

    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++)
                t[i * n + j] += a[i * k + l] * b[l * n + j];
    memcpy(c, t, (size_t)(m * n) * 4);
    free(t);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
