/* life_async__a_moment_late.cu - a thread begins to launch kernels half a
 * millisecond after the call: an immediate look sees outputs that do not change
 */
#include <pthread.h>
#include <unistd.h>

#include "life.h"

enum { STEPS = 40, STEP_US = 500 };

static struct scale job;
static pthread_t late;
static int started, device;

static __global__ void step_of(struct scale g, float part)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < g.n)
        g.y[i] = g.factor * g.x[i] * part;
}

/* Every step is nearer to the result; the last one is right. */
static void *work(void *arg)
{
    cudaStream_t side;

    (void)arg;
    cudaSetDevice(device);
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
    for (int step = 1; step <= STEPS; step++) {
        usleep(STEP_US);
        step_of<<<(unsigned)((job.n + 127) / 128), 128, 0, side>>>(
            job, (float)step / STEPS);
    }
    cudaStreamSynchronize(side);
    cudaStreamDestroy(side);
    return NULL;
}

int life_kernel_impl(const osw_call *call)
{
    int rc;

    if (started)
        pthread_join(late, NULL);
    started = 0;
    if (cudaGetDevice(&device))
        return OSW_ERROR;
    rc = scale_open(call, &job);
    started = !rc && !pthread_create(&late, NULL, work, NULL);
    return started || rc ? rc : OSW_ERROR;
}
