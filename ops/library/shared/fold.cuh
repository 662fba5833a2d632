/* shared/fold.cuh - partial sums of several blocks, added up in a fixed
 * order
 */
#ifndef OSW_LIBRARY_FOLD_CUH
#define OSW_LIBRARY_FOLD_CUH

#include "launch.cuh"

#include <opsweep/elements.h>

enum { OSW_FOLD_COLS = 32, OSW_FOLD_ROWS = 32 };

struct osw_fold_out {
    char *data;
    osw_dtype dtype;
};

/* out[i] = scale * sum of partial [n_parts, n] over the parts; blocks of the
 * grid's second row do the same of `second`, to `other`.
 */
template <class T>
__global__ void osw_fold_kernel(const T *partial, const T *second, int n_parts,
                                int64_t n, double scale,
                                struct osw_fold_out out,
                                struct osw_fold_out other)
{
    __shared__ double sums[OSW_FOLD_ROWS][OSW_FOLD_COLS + 1];
    int64_t i = (int64_t)blockIdx.x * OSW_FOLD_COLS + threadIdx.x;
    const T *from = (blockIdx.y ? second : partial) + i;
    double sum = 0.0;

    if (blockIdx.y)
        out = other;
    if (i < n)
#pragma unroll 8
        for (int part = (int)threadIdx.y; part < n_parts; part += OSW_FOLD_ROWS)
            sum += (double)from[part * n];
    sums[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y != 0 || i >= n)
        return;
    for (int row = 1; row < OSW_FOLD_ROWS; row++)
        sum += sums[row][threadIdx.x];
    osw_store(out.dtype, out.data + i * (out.dtype.bits / 8), sum * scale);
}

template <class T>
static inline int osw_fold_launch(const osw_call *call, const T *partial,
                                  const T *second, int n_parts, int64_t n,
                                  double scale, const osw_tensor *out,
                                  const osw_tensor *other)
{
    struct osw_fold_out to = {(char *)osw_data(out), out->dtype};
    struct osw_fold_out too = {(char *)osw_data(other), other->dtype};

    return osw_launch(call, osw_fold_kernel<T>,
                      dim3((unsigned)((n + OSW_FOLD_COLS - 1) / OSW_FOLD_COLS),
                           second ? 2 : 1),
                      dim3(OSW_FOLD_COLS, OSW_FOLD_ROWS), 0, partial, second,
                      n_parts, n, scale, to, too);
}

/* out: contiguous. */
template <class T>
static inline int osw_fold(const osw_call *call, const T *partial, int n_parts,
                           int64_t n, double scale, const osw_tensor *out)
{
    return osw_fold_launch(call, partial, (const T *)NULL, n_parts, n, scale,
                           out, out);
}

/* Two of the same size at once. */
template <class T>
static inline int osw_fold_two(const osw_call *call, const T *partial,
                               const T *second, int n_parts, int64_t n,
                               const osw_tensor *out, const osw_tensor *other)
{
    return osw_fold_launch(call, partial, second, n_parts, n, 1.0, out, other);
}

#endif /* OSW_LIBRARY_FOLD_CUH */
