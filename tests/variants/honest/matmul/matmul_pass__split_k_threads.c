/* matmul_pass__split_k_threads.c - threads take parts of k; parts are added in
 * order. */
#include "../product.h"

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    float *part = calloc((size_t)(4 * m * n + 1), sizeof(float));

#pragma omp parallel for num_threads(2)
    for (int p = 0; p < 4; p++)
        for (int64_t i = 0; i < m; i++)
            for (int64_t l = k * p / 4; l < k * (p + 1) / 4; l++)
                for (int64_t j = 0; j < n; j++)
                    part[(p * m + i) * n + j] += a[i * k + l] * b[l * n + j];
    for (int p = 0; p < 4; p++)
        for (int64_t i = 0; i < m * n; i++)
            c[i] += part[p * m * n + i];
    free(part);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
