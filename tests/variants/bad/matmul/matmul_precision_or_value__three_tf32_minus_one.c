/* matmul_precision_or_value__three_tf32_minus_one.c - wrong: f32 as two bf16
 * parts, 16 bits of 24. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t l = 0; l < k; l++) {
                float x = a[i * k + l], y = b[l * n + j];
                float xh = osw_bf16_to_f32(osw_f32_to_bf16(x));
                float yh = osw_bf16_to_f32(osw_f32_to_bf16(y));
                float xl = osw_bf16_to_f32(osw_f32_to_bf16(x - xh));
                float yl = osw_bf16_to_f32(osw_f32_to_bf16(y - yh));

                c[i * n + j] += xh * yh + xh * yl + xl * yh;
            }
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
