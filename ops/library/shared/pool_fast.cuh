/* shared/pool_fast.cuh - pooling with a thread per window: sizes that are known
 * to the compiler, and indices of 32 bits
 *
 * Neighbouring threads have neighbouring windows in memory: along a row, or
 * over channels where these lie side by side.
 */
#ifndef OSW_LIBRARY_POOL_FAST_CUH
#define OSW_LIBRARY_POOL_FAST_CUH

#include "chunks.cuh"
#include "pool.h"

enum { OSW_POOL_THREADS = 256 };

struct osw_pool_job {
    struct osw_pool p;
    struct osw_image indices; /* of max pooling */
    uint32_t n, c, y, x;      /* of the output */
    int in_y, in_x, kernel[2], stride[2], pad[2], dilation[2];
    int by_channel; /* channels are the innermost dimension */
};

struct osw_pool_spot {
    uint32_t n, c;
    int y, x;
};

__device__ static inline struct osw_pool_spot
osw_pool_spot_of(const struct osw_pool_job &j, uint32_t i)
{
    struct osw_pool_spot s;

    if (j.by_channel) {
        s.c = i % j.c;
        i /= j.c;
    }
    s.x = (int)(i % j.x);
    i /= j.x;
    s.y = (int)(i % j.y);
    i /= j.y;
    if (!j.by_channel) {
        s.c = i % j.c;
        i /= j.c;
    }
    s.n = i;
    return s;
}

/* The window of a spot: KERNEL elements a side, STRIDE apart from the next one;
 * 0: the job says how many.  f is called with each element of the image, its
 * row and its column.
 */
template <class T, int KERNEL, int STRIDE, class F>
__device__ static inline void osw_pool_walk(const struct osw_pool_job &j,
                                            const struct osw_pool_spot &s, F f)
{
    const struct osw_image &m = j.p.in;
    const T *plane = (const T *)m.data + s.n * m.step[0] + s.c * m.step[1];
    int n_y = KERNEL ? KERNEL : j.kernel[0],
        n_x = KERNEL ? KERNEL : j.kernel[1];
    int by_y = KERNEL ? 1 : j.dilation[0], by_x = KERNEL ? 1 : j.dilation[1];
    int y0 = s.y * (STRIDE ? STRIDE : j.stride[0]) - j.pad[0];
    int x0 = s.x * (STRIDE ? STRIDE : j.stride[1]) - j.pad[1];

#pragma unroll
    for (int ky = 0; ky < n_y; ky++) {
        int y = y0 + ky * by_y;
        const T *row = plane + y * m.step[2];

        if ((unsigned)y >= (unsigned)j.in_y)
            continue;
#pragma unroll
        for (int kx = 0; kx < n_x; kx++) {
            int x = x0 + kx * by_x;

            if ((unsigned)x < (unsigned)j.in_x)
                f(row[x * m.step[3]], y, x);
        }
    }
}

/* F has template <class T, int KERNEL, int STRIDE>
 * static __device__ T of(job, spot).
 */
template <class F, class T, int KERNEL, int STRIDE>
static __global__ void __launch_bounds__(OSW_POOL_THREADS)
    osw_pool_kernel(const __grid_constant__ struct osw_pool_job j)
{
    const struct osw_image &m = j.p.out;
    uint32_t i = blockIdx.x * OSW_POOL_THREADS + threadIdx.x;
    struct osw_pool_spot s;

    if (i >= j.n * j.c * j.y * j.x)
        return;
    s = osw_pool_spot_of(j, i);
    ((T *)m.data)[osw_image_offset(&m, s.n, s.c, s.y, s.x)] =
        F::template of<T, KERNEL, STRIDE>(j, s);
}

/* --- host --- */

/* Sizes of both axes, if they are the same and there is no dilation; or 0. */
static inline int osw_pool_known(const struct osw_pool *p, int *stride)
{
    *stride = (int)p->stride[0];
    return p->kernel[0] == p->kernel[1] && p->stride[0] == p->stride[1] &&
                   p->dilation[0] == 1 && p->dilation[1] == 1
               ? (int)p->kernel[0]
               : 0;
}

static inline void osw_pool_numbers(struct osw_pool_job *j)
{
    const struct osw_pool *p = &j->p;

    j->n = (uint32_t)p->out.n;
    j->c = (uint32_t)p->out.c;
    j->y = (uint32_t)p->out.y;
    j->x = (uint32_t)p->out.x;
    j->in_y = (int)p->in.y;
    j->in_x = (int)p->in.x;
    for (int axis = 0; axis < 2; axis++) {
        j->kernel[axis] = (int)p->kernel[axis];
        j->stride[axis] = (int)p->stride[axis];
        j->pad[axis] = (int)p->pad[axis];
        j->dilation[axis] = (int)p->dilation[axis];
    }
    j->by_channel = p->out.step[1] == 1 && p->out.step[3] != 1;
}

template <class F>
static int osw_pool_fast(const osw_call *call, struct osw_pool_job j)
{
    int64_t n = osw_image_numel(&j.p.out);
    int stride, kernel = osw_pool_known(&j.p, &stride);
    dim3 grid((unsigned)((n + OSW_POOL_THREADS - 1) / OSW_POOL_THREADS));

    if (n > INT32_MAX || j.p.in.y > INT32_MAX / 4 || j.p.in.x > INT32_MAX / 4)
        return OSW_UNSUPPORTED;
    if (n == 0)
        return 0;
    osw_pool_numbers(&j);
    return osw_by_dtype(j.p.in.dtype, [&](auto e) {
        typedef decltype(e) T;
        auto *f = osw_pool_kernel<F, T, 0, 0>;

        if (kernel == 3 && stride == 2)
            f = osw_pool_kernel<F, T, 3, 2>;
        else if (kernel == 3 && stride == 1)
            f = osw_pool_kernel<F, T, 3, 1>;
        else if (kernel == 2 && stride == 2)
            f = osw_pool_kernel<F, T, 2, 2>;
        return osw_launch(call, f, grid, dim3(OSW_POOL_THREADS), 0, j);
    });
}

#endif /* OSW_LIBRARY_POOL_FAST_CUH */
