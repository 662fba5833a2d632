/* ops/library/embedding/embedding_reference.cu - out[i] = weight[indices[i]],
 * a thread to an element
 */
#include "../shared/picking.cuh"
#include "embedding.h"

struct view {
    struct osw_strided index;
    const char *weight;
    char *out; /* [n_index, width], contiguous */
    int64_t n, width, row, col, n_index, bytes;
};

static __global__ void pick(struct view v)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < v.n_index * v.width; i += step) {
        int64_t k = osw_pick_at(&v.index, i / v.width, v.n);
        int64_t from = (k * v.row + i % v.width * v.col) * v.bytes;

        for (int64_t b = 0; b < v.bytes; b++)
            v.out[i * v.bytes + b] = v.weight[from + b];
    }
}

extern "C" int embedding_meta(const osw_call *call)
{
    struct osw_embedding e = {};

    return osw_embedding_open(call, &e);
}

extern "C" int embedding_reference(const osw_call *call)
{
    struct osw_embedding e = {};
    struct view v;
    int rc = osw_embedding_open(call, &e);

    if (rc)
        return rc;
    if (osw_strided_of(&v.index, e.indices))
        return OSW_UNSUPPORTED;
    if (osw_numel(e.out) == 0)
        return 0;
    v.weight = (const char *)osw_data(e.weight);
    v.out = (char *)osw_data(e.out);
    v.n = e.weight->shape[0];
    v.width = e.weight->shape[1];
    v.row = e.weight->strides[0];
    v.col = e.weight->strides[1];
    v.n_index = osw_numel(e.indices);
    v.bytes = e.weight->dtype.bits / 8;
    return osw_launch(call, pick, dim3(osw_grid(osw_numel(e.out), 256)),
                      dim3(256), 0, v);
}
