/* matmul_pass__f32_as_three_bf16.c - floats as sums of three bf16; six products
 * of parts in float. */
#include "../product.h"

static void split(float x, float p[3])
{
    for (int i = 0; i < 3; i++) {
        p[i] = osw_bf16_to_f32(osw_f32_to_bf16(x));
        x -= p[i];
    }
}

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            float high = 0.0f, low = 0.0f;

            for (int64_t l = 0; l < k; l++) {
                float x[3], y[3];

                split(a[i * k + l], x);
                split(b[l * n + j], y);
                low += x[0] * y[2] + x[1] * y[1] + x[2] * y[0];
                low += x[0] * y[1] + x[1] * y[0];
                high += x[0] * y[0];
            }
            c[i * n + j] = high + low;
        }
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
