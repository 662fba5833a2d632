/* ops/library/embedding/embedding_fast.cu - whole rows, 16 bytes at a time
 * where they are aligned
 */
#include "../shared/picking.cuh"
#include "embedding.h"

enum { THREADS = 256, IN_FLIGHT = 4 };

/* Everything in units of one access. */
struct view {
    struct osw_strided index;
    const char *weight;
    char *out; /* [n_index, width], contiguous */
    int64_t n, n_index, width, row, col;
};

/* A row of the block's threads copies IN_FLIGHT rows of the matrix, which stay
 * in the caches: what is written does not take their place.
 */
template <class U>
__global__ void __launch_bounds__(THREADS)
    pick_rows(const __grid_constant__ struct view v)
{
    int64_t i = ((int64_t)blockIdx.x * blockDim.y + threadIdx.y) * IN_FLIGHT;
    const U *from[IN_FLIGHT];
    U *to = (U *)v.out + i * v.width;

#pragma unroll
    for (int c = 0; c < IN_FLIGHT; c++)
        from[c] =
            (const U *)v.weight +
            (i + c < v.n_index ? osw_pick_at(&v.index, i + c, v.n) * v.row : 0);
    for (int64_t u = threadIdx.x; u < v.width; u += blockDim.x) {
        U run[IN_FLIGHT];

#pragma unroll
        for (int c = 0; c < IN_FLIGHT; c++)
            if (i + c < v.n_index)
                run[c] = from[c][u * v.col];
#pragma unroll
        for (int c = 0; c < IN_FLIGHT; c++)
            if (i + c < v.n_index)
                __stcs(to + c * v.width + u, run[c]);
    }
}

template <class U>
static int launch(const osw_call *call, struct view v, int64_t bytes)
{
    int64_t scale = (int64_t)sizeof(U) / bytes, blocks, rows;
    unsigned cols = 1;

    v.width /= scale;
    v.row /= scale;
    while (cols < THREADS && cols < v.width)
        cols *= 2;
    rows = THREADS / cols * IN_FLIGHT;
    blocks = (v.n_index + rows - 1) / rows;
    if (blocks > INT32_MAX)
        return OSW_UNSUPPORTED;
    return osw_launch(call, pick_rows<U>, dim3((unsigned)blocks),
                      dim3(cols, THREADS / cols), 0, v);
}

/* The largest access that all rows allow. */
static int64_t unit_of(const struct view *v, int64_t bytes)
{
    uint64_t all = (uint64_t)(uintptr_t)v->weight |
                   (uint64_t)(uintptr_t)v->out | (uint64_t)(v->width * bytes) |
                   (uint64_t)(v->row * bytes);
    int64_t unit = 16;

    if (v->col != 1)
        return bytes;
    while (all % (uint64_t)unit != 0)
        unit /= 2;
    return unit > bytes ? unit : bytes;
}

extern "C" int embedding_kernel_impl(const osw_call *call)
{
    struct osw_embedding e = {};
    struct view v;
    int rc = osw_embedding_open(call, &e);
    int64_t bytes, unit;

    if (rc)
        return rc;
    if (osw_strided_of(&v.index, e.indices))
        return OSW_UNSUPPORTED;
    if (osw_numel(e.out) == 0)
        return 0;
    v.weight = (const char *)osw_data(e.weight);
    v.out = (char *)osw_data(e.out);
    v.n = e.weight->shape[0];
    v.n_index = osw_numel(e.indices);
    v.width = e.weight->shape[1];
    v.row = e.weight->strides[0];
    v.col = e.weight->shape[1] > 1 ? e.weight->strides[1] : 1;
    bytes = e.weight->dtype.bits / 8;
    unit = unit_of(&v, bytes);
    if (unit == 16)
        return launch<uint4>(call, v, bytes);
    if (unit == 8)
        return launch<unsigned long long>(call, v, bytes);
    if (unit == 4)
        return launch<uint32_t>(call, v, bytes);
    return unit == 2 ? launch<uint16_t>(call, v, bytes)
                     : launch<uint8_t>(call, v, bytes);
}
