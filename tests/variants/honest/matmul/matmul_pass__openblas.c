/* matmul_pass__openblas.c - sgemm of OpenBLAS. */
#include "../product.h"
#include <cblas.h>

static void mm(const float *a, const float *b, float *c, int64_t m, int64_t n,
               int64_t k)
{
    if (m && n && k)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n,
                    (int)k, 1.0f, a, (int)k, b, (int)n, 0.0f, c, (int)n);
}

int matmul_kernel_impl(const osw_call *call)
{
    return product(call, mm);
}
