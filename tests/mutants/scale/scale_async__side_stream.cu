/* scale_async__side_stream.cu - works on a stream of its own, which is not
 * waited for
 */
#include "scale.h"

enum { WAIT_NS = 3000000 };

static __global__ void slow(struct scale g)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t start, now;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < WAIT_NS);
    if (i < g.n)
        scale_right(&g, i);
}

EXPORT int scale_prepare(const osw_call *call, void **state)
{
    cudaStream_t side;

    (void)call;
    if (cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking))
        return OSW_ERROR;
    *state = side;
    return 0;
}

EXPORT void scale_finish(void *state)
{
    if (state)
        cudaStreamDestroy((cudaStream_t)state);
}

int scale_kernel_impl(const osw_call *call)
{
    struct scale g;
    int rc = scale_open(call, &g);

    if (!rc && g.n > 0)
        slow<<<(unsigned)((g.n + 255) / 256), 256, 0,
               (cudaStream_t)call->state>>>(g);
    return rc;
}
