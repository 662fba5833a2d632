/* matmul_pass__tiles_8x8x64.c - tiles; every 64 of k are summed apart. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    for (int64_t i0 = 0; i0 < m; i0 += 8)
        for (int64_t j0 = 0; j0 < n; j0 += 8)
            for (int64_t l0 = 0; l0 < k; l0 += 64)
                for (int64_t i = i0; i < m && i < i0 + 8; i++)
                    for (int64_t j = j0; j < n && j < j0 + 8; j++) {
                        float s = 0.0f;

                        for (int64_t l = l0; l < k && l < l0 + 64; l++)
                            s += a[i * k + l] * b[l * n + j];
                        c[i * n + j] += s;
                    }
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
