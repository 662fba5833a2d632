/* matmul_value__last_row_zero.c - wrong: an odd last row stays zero. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i + (m > 1 && m % 2) < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
