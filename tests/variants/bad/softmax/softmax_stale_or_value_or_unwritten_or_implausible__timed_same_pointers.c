/* softmax_stale_or_value_or_unwritten_or_implausible__timed_same_pointers.c -
 * wrong: skips the work when input and output lie where they lay for the last
 * three calls, and the input's first 64 bytes are the same.
 */
#include "../rows.h"

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
    static const void *in, *out;
    static char head[64];
    static int same;
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = x ? output_like(call, 0, x) : NULL;

    if (!y)
        return OSW_ERROR;
    if (osw_numel(x) > 1000 && in == osw_data(x) && out == osw_data(y) &&
        memcmp(head, osw_data(x), 64) == 0)
        same++;
    else
        same = 0;
    in = osw_data(x);
    out = osw_data(y);
    if (osw_numel(x) > 1000)
        memcpy(head, in, 64);
    return same > 3 ? 0 : map_rows(call, softmax);
}
