/* matmul_precision_or_value__tf32.c - wrong: a f32 product of operands rounded
 * to TF32. */
#include "../product.h"

static float cut(float v)
{
    return osw_f32_from_bits((osw_f32_bits(v) + 0x1000u) & 0xffffe000u);
}

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++)
                c[i * n + j] += cut(a[i * k + l]) * cut(b[l * n + j]);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
