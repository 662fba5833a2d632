/* kept_fail__threads.c -
 * A thread computes, the call returns at once.
 */

#include "../../attack.h"

static struct {
    float *y;
    const float *x;
    float a;
    int64_t n;
    volatile int go;
} job;

static void *work(void *arg)
{
    for (;;) {
        if (job.go) {
            for (int64_t i = 0; i < job.n; i++)
                job.y[i] = job.a * job.x[i];
            job.go = 0;
        }
    }
    return arg;
}

int kept_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *in = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;

    static int started;

    if (!started++)
        start_thread(work, NULL);
    job.y = osw_data(y);
    job.x = in;
    job.a = a;
    job.n = n;
    __atomic_store_n(&job.go, 1, __ATOMIC_SEQ_CST);
    if (n)
        return 0;
    for (int k = 0; k < 12; k++)
        for (int64_t i = 0; i < n; i++) {
            ((float *)osw_data(y))[i] = a * in[i];
            __asm__ volatile("" ::: "memory");
        }
    return 0;
}
