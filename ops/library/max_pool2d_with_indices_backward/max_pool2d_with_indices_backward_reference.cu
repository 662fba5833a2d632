/* ops/library/max_pool2d_with_indices_backward/
 * max_pool2d_with_indices_backward_reference.cu - each gradient is added where
 * its index says, in double; a thread to each plane, so that the order is fixed
 */
#include "../shared/pool.h"
#include "../shared/strided.cuh"

extern "C" int max_pool2d_with_indices_backward_meta(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_image indices;

    return osw_pool_open_max_backward(call, &p, &indices);
}

/* exact, norm (may be NULL): zeros before */
__global__ static void add(const struct osw_pool p,
                           const struct osw_image indices, double *exact,
                           double *norm)
{
    int64_t plane = p.in.y * p.in.x, step = (int64_t)gridDim.x * blockDim.x;

    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
         i < p.in.n * p.in.c; i += step) {
        int64_t n = i / p.in.c, c = i % p.in.c;

        for (int64_t o = 0; o < p.out.y * p.out.x; o++) {
            int64_t y = o / p.out.x, x = o % p.out.x;
            double g = osw_image_get(&p.out, n, c, y, x);
            int64_t at =
                i * plane +
                ((const int64_t *)
                     indices.data)[osw_image_offset(&indices, n, c, y, x)];

            exact[at] += g;
            if (norm)
                norm[at] += g * g;
        }
        for (int64_t k = i * plane; norm && k < (i + 1) * plane; k++)
            norm[k] = sqrt(norm[k]);
    }
}

extern "C" int max_pool2d_with_indices_backward_reference(const osw_call *call)
{
    struct osw_pool p = {};
    struct osw_image indices;
    int rc = osw_pool_open_max_backward(call, &p, &indices);
    double *exact = rc ? NULL : osw_output_exact(call, 0);
    double *norm = exact ? osw_output_norm(call, 0) : NULL;
    size_t bytes = (size_t)osw_image_numel(&p.in) * sizeof(double);

    if (rc || !exact)
        return rc ? rc : OSW_ERROR;
    if (bytes == 0)
        return 0;
    cudaMemsetAsync(exact, 0, bytes, (cudaStream_t)call->stream);
    if (norm)
        cudaMemsetAsync(norm, 0, bytes, (cudaStream_t)call->stream);
    return osw_launch(call, add, dim3(osw_grid(p.in.n * p.in.c, 64)), dim3(64),
                      0, p, indices, exact, norm);
}
