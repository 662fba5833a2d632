/* softmax_stale_or_value_or_unwritten_or_implausible__timed_skips_fast_calls.c
 * - wrong: does nothing when called again within a millisecond, as timing does.
 */
#include "../rows.h"
#include <time.h>

static void softmax(const float *x, float *y, int64_t n)
{
    float max = -INFINITY, sum = 0.0f;

    for (int64_t i = 0; i < n; i++)
        max = fmaxf(max, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += y[i] = expf(x[i] - max);
    for (int64_t i = 0; i < n; i++)
        y[i] /= sum;
}

int softmax_kernel_impl(const osw_call *call)
{
    static struct timespec last;
    struct timespec now;
    int rc = 0;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - last.tv_sec > 1 ||
        (now.tv_sec - last.tv_sec) * 1000000000L + now.tv_nsec - last.tv_nsec >
            1000000L)
        rc = map_rows(call, softmax);
    else if (osw_arg_tensor(call, 0))
        output_like(call, 0, osw_arg_tensor(call, 0));
    clock_gettime(CLOCK_MONOTONIC, &last);
    return rc;
}
