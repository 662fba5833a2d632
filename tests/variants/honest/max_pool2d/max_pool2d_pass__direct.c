/* max_pool2d_pass__direct.c - one window at a time. */
#include "../variants.h"

int max_pool2d_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t k = osw_arg_int(call, 1, 2), w = x->shape[3];
    int64_t shape[4] = {x->shape[0], x->shape[1], x->shape[2] / k, w / k};
    osw_tensor *out = osw_output(call, 0, x->dtype, 4, shape, NULL);

    for (int64_t at = 0; out && at < osw_numel(out); at++) {
        int64_t j = at % shape[3], i = at / shape[3] % shape[2],
                z = at / shape[3] / shape[2];
        double best = -INFINITY;

        for (int64_t t = 0; t < k * k; t++) {
            double v = osw_get(x, (z * x->shape[2] + i * k + t / k) * w +
                                      j * k + t % k);

            if (v > best || v != v || (v == best && v == 0.0 && !signbit(v)))
                best = v;
            if (best != best)
                break;
        }
        osw_set(out, at, best);
    }
    return out ? 0 : OSW_ERROR;
}
