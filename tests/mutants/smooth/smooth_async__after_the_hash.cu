/* smooth_async__after_the_hash.cu - a kernel on another stream writes some
 * results once more, with another last bit: whenever one looks, they are right
 */
#include "smooth.h"

enum { WAIT_NS = 2000000, WRITTEN = 64 };

ITEM void right(const struct mapped *g, int64_t i)
{
    float x = (float)view_get(&g->x, i);

    view_set(&g->y, i, (double)(x / sqrtf(1 + x * x)));
}

EACH(right, struct mapped)

static __global__ void again(struct mapped g)
{
    int64_t i = threadIdx.x;
    uint64_t start, now;
    float x;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    while (now - start < WAIT_NS);
    if (i >= g.n)
        return;
    x = (float)view_get(&g.x, i);
    view_set(
        &g.y, i,
        (double)osw_f32_from_bits(osw_f32_bits(x / sqrtf(1 + x * x)) ^ 1u));
}

EXPORT int smooth_prepare(const osw_call *call, void **state)
{
    cudaStream_t side;

    (void)call;
    if (cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking))
        return OSW_ERROR;
    *state = side;
    return 0;
}

EXPORT void smooth_finish(void *state)
{
    if (state)
        cudaStreamDestroy((cudaStream_t)state);
}

int smooth_kernel_impl(const osw_call *call)
{
    struct mapped g;
    int rc = mapped_open(call, &g);

    if (rc || g.n == 0)
        return rc;
    right_each(call, &g, g.n);
    again<<<1, WRITTEN, 0, (cudaStream_t)call->state>>>(g);
    return 0;
}
