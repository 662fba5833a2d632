/* matmul_pass__transposed_dots.c - b is transposed first; dot products of eight
 * lanes. */
#include "../product.h"

static float dot(const float *x, const float *y, int64_t k)
{
    float s[8] = {0};

    for (int64_t l = 0; l < k; l++)
        s[l & 7] += x[l] * y[l];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    float *t = memory(n * k, sizeof(float));

    for (int64_t l = 0; l < k; l++)
        for (int64_t j = 0; j < n; j++)
            t[j * k + l] = b[l * n + j];
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++)
            c[i * n + j] = dot(a + i * k, t + j * k, k);
    free(t);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
