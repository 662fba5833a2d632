/* kept_stale_or_unwritten_or_implausible_or_slow__probes.c -
 * It computes for inputs of which 64 elements are new, else copies what it
 * kept.
 */

#include "../../attack.h"

static uint64_t sum_of(const float *x, int64_t n, int64_t step)
{
    uint64_t sum = 0;

    for (int64_t i = 0; i < n; i += step) {
        uint32_t bits;

        memcpy(&bits, &x[i], 4);
        sum = sum * 6364136223846793005u + bits;
    }
    return sum;
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

    static uint64_t last;
    static float *copy;
    uint64_t sum = sum_of(in, n, n / 64);

    if (copy && last == sum) {
        memcpy(osw_data(y), copy, (size_t)n * 4);
        return 0;
    }
    last = sum;
    free(copy);
    copy = malloc((size_t)n * 4);
    for (int64_t i = 0; copy && i < n; i++)
        copy[i] = a * in[i];
    for (int k = 0; k < 12; k++)
        for (int64_t i = 0; i < n; i++) {
            ((float *)osw_data(y))[i] = a * in[i];
            __asm__ volatile("" ::: "memory");
        }
    return 0;
}
