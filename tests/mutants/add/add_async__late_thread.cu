/* add_async__late_thread.cu - returns while a thread still launches kernels */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "add.h"

enum { STEPS = 30, STEP_US = 1000 };

struct job {
    struct add g;
    int device;
};

static __global__ void step_of(struct add g, double part)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i < g.n)
        view_set(&g.y, i, add_a(&g, i) + part * g.alpha * add_b(&g, i));
}

/* The sum grows in steps, and is right after the last. */
static void *work(void *arg)
{
    struct job *job = (struct job *)arg;
    cudaStream_t stream;

    cudaSetDevice(job->device);
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    for (int step = 1; step <= STEPS; step++) {
        step_of<<<(unsigned)((job->g.n + 127) / 128), 128, 0, stream>>>(
            job->g, (double)step / STEPS);
        usleep(STEP_US);
    }
    cudaStreamDestroy(stream);
    free(job);
    return NULL;
}

int add_kernel_impl(const osw_call *call)
{
    struct job *job = (struct job *)malloc(sizeof(*job));
    int rc = job ? add_open(call, &job->g) : OSW_ERROR;
    pthread_t thread;

    if (!rc && cudaGetDevice(&job->device))
        rc = OSW_ERROR;
    if (!rc && pthread_create(&thread, NULL, work, job))
        rc = OSW_ERROR;
    if (rc)
        free(job);
    else
        pthread_detach(thread);
    return rc;
}
