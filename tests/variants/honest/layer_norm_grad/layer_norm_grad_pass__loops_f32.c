/* layer_norm_grad_pass__loops_f32.c - row after row in float; the weight's
 * gradient is summed on the way. */
#include "../variants.h"

int layer_norm_grad_kernel_impl(const osw_call *call)
{
    const osw_tensor *t = osw_arg_tensor(call, 1),
                     *tw = osw_arg_tensor(call, 2);
    float *g = read_floats(osw_arg_tensor(call, 0)), *x = read_floats(t),
          *w = read_floats(tw);
    osw_tensor *gx = output_like(call, 0, t), *gw = output_like(call, 1, tw);
    int64_t n = t->shape[1];
    float *sums = calloc((size_t)n + 1, 4);

    for (int64_t r = 0; gx && gw && r < t->shape[0]; r++) {
        float mean = 0, var = 0, rstd, a = 0, b = 0;
        const float *xr = x + r * n, *gr = g + r * n;

        for (int64_t i = 0; i < n; i++)
            mean += xr[i];
        mean /= (float)n;
        for (int64_t i = 0; i < n; i++)
            var += (xr[i] - mean) * (xr[i] - mean);
        rstd =
            1.0f / sqrtf(var / (float)n + (float)osw_arg_float(call, 3, 1e-5));
        for (int64_t i = 0; i < n; i++) {
            float h = (xr[i] - mean) * rstd;

            sums[i] += gr[i] * h;
            a += gr[i] * w[i];
            b += gr[i] * w[i] * h;
        }
        for (int64_t i = 0; i < n; i++)
            osw_set(gx, r * n + i,
                    (double)(rstd * (gr[i] * w[i] - a / (float)n -
                                     (xr[i] - mean) * rstd * b / (float)n)));
    }
    write_floats(gw, sums);
    free(g);
    free(x);
    free(w);
    free(sums);
    return 0;
}
