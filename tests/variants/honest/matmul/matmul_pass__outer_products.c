/* matmul_pass__outer_products.c - k outside: a sum of outer products, from the
 * last to the first. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t l = k - 1; l >= 0; l--)
        for (int64_t i = 0; i < m; i++)
            for (int64_t j = 0; j < n; j++)
                c[i * n + j] = fmaf(a[i * k + l], b[l * n + j], c[i * n + j]);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
