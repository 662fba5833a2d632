/* matmul_value__one_k_of_2048_dropped.c - wrong: the last of more than 2000
 * terms is left out. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k - (k > 2000); l++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
