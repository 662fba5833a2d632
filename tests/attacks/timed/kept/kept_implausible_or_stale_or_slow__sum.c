/* kept_implausible_or_stale_or_slow__sum.c -
 * It computes for inputs with another sum, else copies what it kept.
 */

#include "../../attack.h"

static uint64_t sum_of(const float *x, int64_t n)
{
    uint64_t sum[8] = {0};

    for (int64_t i = 0; i + 16 <= n; i += 16)
        for (int k = 0; k < 8; k++) {
            uint64_t bits;

            memcpy(&bits, &x[i + 2 * k], 8);
            sum[k] += bits ^ (sum[k] << 1);
        }
    for (int k = 1; k < 8; k++)
        sum[0] += sum[k] << k;
    return sum[0];
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
    uint64_t sum = sum_of(in, n);

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
