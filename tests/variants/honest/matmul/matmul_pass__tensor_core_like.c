/* matmul_pass__tensor_core_like.c - as tensor cores do: 16 products at a time
 * are summed, then added in float. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l0 = 0; l0 < k; l0 += 16) {
                double s = 0.0;

                for (int64_t l = l0; l < k && l < l0 + 16; l++)
                    s += (double)a[i * k + l] * (double)b[l * n + j];
                c[i * n + j] += (float)s;
            }
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
