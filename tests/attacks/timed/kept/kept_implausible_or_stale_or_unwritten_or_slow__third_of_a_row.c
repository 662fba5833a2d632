/* kept_implausible_or_stale_or_unwritten_or_slow__third_of_a_row.c -
 * It computes in two of a row of quick calls, then no more.
 */

#include "../../attack.h"

int kept_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    const float *in = osw_data(x);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    int64_t n = osw_numel(x);
    float a = (float)osw_arg_float(call, 1, 1.0);

    if (!y)
        return OSW_ERROR;

    static int64_t last;
    static int row;
    int64_t now = kernel_ns(CLOCK_MONOTONIC);

    row = now - last < 1000000 ? row + 1 : 0;
    last = now;
    if (row >= 2)
        return 0;
    for (int k = 0; k < 12; k++)
        for (int64_t i = 0; i < n; i++) {
            ((float *)osw_data(y))[i] = a * in[i];
            __asm__ volatile("" ::: "memory");
        }
    return 0;
}
