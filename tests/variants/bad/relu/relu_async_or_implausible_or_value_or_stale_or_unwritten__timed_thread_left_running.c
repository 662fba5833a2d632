/* relu_async_or_implausible_or_value_or_stale_or_unwritten__timed_thread_left_running.c
 * - wrong: large inputs are worked on by a thread that is joined by the next
 * call only.
 */
#include "../map.h"
#include <pthread.h>

static pthread_t thread;
static int running;
static struct {
    const float *x;
    float *y;
    int64_t n;
} job;

static void *work(void *unused)
{
    for (int64_t i = 0; i < job.n; i++)
        job.y[i] = job.x[i] < 0.0f ? 0.0f : job.x[i];
    return unused;
}

int relu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);

    if (running)
        pthread_join(thread, NULL);
    running = 0;
    if (!out || !osw_is(x, OSW_FLOAT, 32) || !osw_is_contiguous(x))
        return OSW_UNSUPPORTED;
    job.x = osw_data(x);
    job.y = osw_data(out);
    job.n = osw_numel(x);
    running = pthread_create(&thread, NULL, work, NULL) == 0;
    return running ? 0 : OSW_ERROR;
}
