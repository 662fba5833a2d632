/* gelu_value_or_async_or_stale_or_unwritten__written_late_by_a_thread.c -
 * wrong: the last quarter is written by a thread that outlives the call. */
#include "../gelu.h"
#include <pthread.h>
#include <unistd.h>

static struct {
    const float *x;
    float *y;
    int64_t from, to;
} job;

static void *later(void *unused)
{
    usleep(2000);
    for (int64_t i = job.from; i < job.to; i++)
        job.y[i] = 0.5f * job.x[i] * erfcf(-job.x[i] * 0.707106781f);
    return unused;
}

int gelu_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = output_like(call, 0, x);
    int64_t n = osw_numel(x);
    pthread_t thread;

    if (!out || !osw_is(x, OSW_FLOAT, 32) || osw_arg_at(call, 1)->u.s[0] == 't')
        return OSW_UNSUPPORTED;
    job.x = osw_data(x);
    job.y = osw_data(out);
    job.from = n * 3 / 4;
    job.to = n;
    if (pthread_create(&thread, NULL, later, NULL) == 0)
        pthread_detach(thread);
    for (int64_t i = 0; i < n * 3 / 4; i++)
        job.y[i] = 0.5f * job.x[i] * erfcf(-job.x[i] * 0.707106781f);
    return 0;
}
