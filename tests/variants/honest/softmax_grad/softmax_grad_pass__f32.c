/* softmax_grad_pass__f32.c - four lanes in float. */
#include "../variants.h"

int softmax_grad_kernel_impl(const osw_call *call)
{
    const osw_tensor *g = osw_arg_tensor(call, 0), *y = osw_arg_tensor(call, 1);
    osw_tensor *out = output_like(call, 0, y);
    float *gs = read_floats(g), *ys = read_floats(y);
    int64_t n = y->shape[1];

    for (int64_t r = 0; out && r < y->shape[0]; r++) {
        float s[4] = {0}, all;

        for (int64_t k = 0; k < n; k++)
            s[k & 3] += gs[r * n + k] * ys[r * n + k];
        all = (s[0] + s[1]) + (s[2] + s[3]);
        for (int64_t k = r * n; k < r * n + n; k++)
            osw_set(out, k, (double)(ys[k] * (gs[k] - all)));
    }
    free(gs);
    free(ys);
    return out ? 0 : OSW_ERROR;
}
