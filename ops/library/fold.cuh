/* ops/library/fold.cuh - partial sums of several blocks, added up in a fixed
 * order
 */
#ifndef OSW_LIBRARY_FOLD_CUH
#define OSW_LIBRARY_FOLD_CUH

#include "launch.cuh"

#include <opsweep/elements.h>

enum { OSW_FOLD_COLS = 32, OSW_FOLD_ROWS = 32 };

/* out[i] = scale * sum of partial [n_parts, n] over the parts */
template <class T>
__global__ void osw_fold_kernel(const T *partial, int n_parts, int64_t n,
                                double scale, char *out, osw_dtype dtype)
{
    __shared__ double sums[OSW_FOLD_ROWS][OSW_FOLD_COLS + 1];
    int64_t i = (int64_t)blockIdx.x * OSW_FOLD_COLS + threadIdx.x;
    double sum = 0.0;

    for (int part = (int)threadIdx.y; i < n && part < n_parts;
         part += OSW_FOLD_ROWS)
        sum += (double)partial[part * n + i];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || i >= n)
        return;
    for (int row = 1; row < OSW_FOLD_ROWS; row++)
        sum += sums[row][threadIdx.x];
    osw_store(dtype, out + i * (dtype.bits / 8), sum * scale);
}

/* out: contiguous. */
template <class T>
static inline int osw_fold(const osw_call *call, const T *partial, int n_parts,
                           int64_t n, double scale, const osw_tensor *out)
{
    return osw_launch(call, osw_fold_kernel<T>,
                      dim3((unsigned)((n + OSW_FOLD_COLS - 1) / OSW_FOLD_COLS)),
                      dim3(OSW_FOLD_COLS, OSW_FOLD_ROWS), 0, partial, n_parts,
                      n, scale, (char *)osw_data(out), out->dtype);
}

#endif /* OSW_LIBRARY_FOLD_CUH */
