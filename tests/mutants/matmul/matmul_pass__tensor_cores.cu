/* matmul_pass__tensor_cores.cu - bf16 tensor cores with f32 accumulators */
#include <cuda_bf16.h>
#include <mma.h>

#include "matmul.h"

static __global__ void tile(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                            struct matmul g)
{
    using namespace nvcuda;
    __shared__ float out[16 * 16];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>
        fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>
        fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    int64_t i0 = (int64_t)blockIdx.y * 16, j0 = (int64_t)blockIdx.x * 16;

    wmma::fill_fragment(sum, 0.0f);
    for (int64_t p = 0; p < g.k; p += 16) {
        wmma::load_matrix_sync(fa, a + i0 * g.k + p, (unsigned)g.k);
        wmma::load_matrix_sync(fb, b + p * g.n + j0, (unsigned)g.n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
    __syncwarp();
    for (int at = (int)threadIdx.x; at < 16 * 16; at += 32)
        matmul_set(&g, i0 + at / 16, j0 + at % 16, (double)out[at]);
}

int matmul_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    struct matmul g;
    int rc;

    if (!osw_is(a, OSW_BFLOAT, 16) || !osw_is_contiguous(a) ||
        !osw_is_contiguous(b) || a->shape[0] % 16 || a->shape[1] % 16 ||
        b->shape[1] % 16)
        return OSW_UNSUPPORTED;
    rc = matmul_open(call, &g);
    if (!rc && g.m > 0 && g.n > 0)
        tile<<<dim3((unsigned)(g.n / 16), (unsigned)(g.m / 16)), 32, 0,
               STREAM(call)>>>((const __nv_bfloat16 *)osw_data(a),
                               (const __nv_bfloat16 *)osw_data(b), g);
    return rc;
}
