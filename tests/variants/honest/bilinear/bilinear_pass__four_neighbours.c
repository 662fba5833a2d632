/* bilinear_pass__four_neighbours.c - four neighbours of each output, in double.
 */
#include "../variants.h"

static double place(int64_t i, int64_t n, int64_t to, int64_t *low)
{
    double at = fmax(((double)i + 0.5) * (double)n / (double)to - 0.5, 0.0);

    *low = (int64_t)at < n - 1 ? (int64_t)at : n - 1;
    return at - (double)*low;
}

int bilinear_kernel_impl(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t h = x->shape[1], w = x->shape[2];
    int64_t shape[3] = {x->shape[0], osw_arg_int(call, 1, 1),
                        osw_arg_int(call, 2, 1)};
    osw_tensor *out = osw_output(call, 0, x->dtype, 3, shape, NULL);

    for (int64_t at = 0; out && at < osw_numel(out); at++) {
        int64_t i, j, z = at / shape[2] / shape[1];
        double s = place(at / shape[2] % shape[1], h, shape[1], &i);
        double t = place(at % shape[2], w, shape[2], &j);
        int64_t k = i + (i < h - 1), l = j + (j < w - 1), p = z * h * w;

        osw_set(out, at,
                (osw_get(x, p + i * w + j) * (1 - t) +
                 osw_get(x, p + i * w + l) * t) *
                        (1 - s) +
                    (osw_get(x, p + k * w + j) * (1 - t) +
                     osw_get(x, p + k * w + l) * t) *
                        s);
    }
    return out ? 0 : OSW_ERROR;
}
