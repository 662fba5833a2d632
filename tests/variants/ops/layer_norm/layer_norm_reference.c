/* layer_norm_reference.c - (x - mean) / sqrt(var + eps) * weight + bias, in
 * double. */
#include "../variants.h"

int layer_norm_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double *exact, *v, *w, *b;
    int64_t n = x->shape[x->ndim - 1];

    if (!output_like(call, 0, x))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    v = read_doubles(x);
    w = read_doubles(osw_arg_tensor(call, 1));
    b = read_doubles(osw_arg_tensor(call, 2));
    if (!exact || !v || !w || !b)
        return OSW_ERROR;
    for (int64_t r = 0; r < osw_numel(x) / n; r++) {
        double mean = 0.0, var = 0.0;

        for (int64_t k = 0; k < n; k++)
            mean += v[r * n + k] / (double)n;
        for (int64_t k = 0; k < n; k++)
            var += (v[r * n + k] - mean) * (v[r * n + k] - mean) / (double)n;
        for (int64_t k = 0; k < n; k++)
            exact[r * n + k] = (v[r * n + k] - mean) /
                                   sqrt(var + osw_arg_float(call, 3, 1e-5)) *
                                   w[k] +
                               b[k];
    }
    free(v);
    free(w);
    free(b);
    return 0;
}
