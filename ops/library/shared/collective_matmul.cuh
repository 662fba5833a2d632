/* shared/collective_matmul.cuh - products of matrices in f32 on a device, of
 * which ranks have parts: an element a thread
 */
#ifndef OSW_LIBRARY_COLLECTIVE_MATMUL_CUH
#define OSW_LIBRARY_COLLECTIVE_MATMUL_CUH

#include "collective_matmul.h"
#include "launch.cuh"

static __global__ void osw_ranks_product_each(const float *a, const float *w,
                                              float *to, int64_t rows,
                                              int64_t k, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
         at < rows * n; at += step) {
        const float *row = a + at / n * k, *column = w + at % n;
        float sum = 0;

        for (int64_t l = 0; l < k; l++)
            sum += row[l] * column[l * n];
        to[at] = sum;
    }
}

/* to [rows, n] = a [rows, k] @ w, all in the device's memory. */
static inline int osw_ranks_product_enqueue(const osw_call *call,
                                            const struct osw_ranks_product *p,
                                            const float *a, int64_t rows,
                                            float *to)
{
    int64_t blocks = (rows * p->n + 255) / 256;

    if (blocks == 0)
        return 0;
    return osw_launch(call, osw_ranks_product_each,
                      dim3((unsigned)(blocks < 4096 ? blocks : 4096)),
                      dim3(256), 0, a, (const float *)osw_data(p->w), to, rows,
                      p->k, p->n);
}

#endif /* OSW_LIBRARY_COLLECTIVE_MATMUL_CUH */
