/* matmul_precision_or_value__bf16_spills.c - wrong: every 128 of k the
 * accumulator goes through memory as bf16. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++) {
                c[i * n + j] += a[i * k + l] * b[l * n + j];
                if (l % 128 == 127)
                    c[i * n + j] =
                        osw_bf16_to_f32(osw_f32_to_bf16(c[i * n + j]));
            }
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
