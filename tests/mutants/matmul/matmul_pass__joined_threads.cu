/* matmul_pass__joined_threads.cu - a second stream, forked and joined by events
 *
 */
#include "matmul.h"

struct two {
    cudaStream_t side;
    cudaEvent_t fork, join;
};

static __global__ void part(struct matmul g, int64_t from, int64_t to)
{
    int64_t at = from + (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (at < to)
        matmul_right(&g, at);
}

static void launch(const struct matmul *g, int64_t from, int64_t to,
                   cudaStream_t stream)
{
    if (to > from)
        part<<<(unsigned)((to - from + 63) / 64), 64, 0, stream>>>(*g, from,
                                                                   to);
}

EXPORT int matmul_prepare(const osw_call *call, void **state)
{
    struct two *t = (struct two *)calloc(1, sizeof(*t));

    (void)call;
    if (!t || cudaStreamCreateWithFlags(&t->side, cudaStreamNonBlocking) ||
        cudaEventCreateWithFlags(&t->fork, cudaEventDisableTiming) ||
        cudaEventCreateWithFlags(&t->join, cudaEventDisableTiming)) {
        free(t);
        return OSW_ERROR;
    }
    *state = t;
    return 0;
}

EXPORT void matmul_finish(void *state)
{
    struct two *t = (struct two *)state;

    if (!t)
        return;
    cudaStreamDestroy(t->side);
    cudaEventDestroy(t->fork);
    cudaEventDestroy(t->join);
    free(t);
}

int matmul_kernel_impl(const osw_call *call)
{
    const struct two *t = (const struct two *)call->state;
    struct matmul g;
    int rc = matmul_open(call, &g);

    if (rc || !t)
        return rc ? rc : OSW_ERROR;
    cudaEventRecord(t->fork, STREAM(call));
    cudaStreamWaitEvent(t->side, t->fork, 0);
    launch(&g, 0, g.m * g.n / 2, STREAM(call));
    launch(&g, g.m * g.n / 2, g.m * g.n, t->side);
    cudaEventRecord(t->join, t->side);
    cudaStreamWaitEvent(STREAM(call), t->join, 0);
    return 0;
}
