/* conv2d_reference.c - a 3x3 convolution of stride 1 in double, with norms. */
#include "../variants.h"

int conv2d_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *w = osw_arg_tensor(call, 1);
    int64_t pad = osw_arg_int(call, 2, 0), c = x->shape[1];
    int64_t h = x->shape[2], width = x->shape[3], o = w->shape[0];
    int64_t oh = h + 2 * pad - 2, ow = width + 2 * pad - 2;
    int64_t shape[4] = {x->shape[0], o, oh, ow};
    double *exact, *norm;

    if (!osw_output(call, 0, x->dtype, 4, shape, NULL))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!exact)
        return OSW_ERROR;
    for (int64_t at = 0; at < shape[0] * o * oh * ow; at++) {
        int64_t j = at % ow, i = at / ow % oh, f = at / ow / oh % o;
        int64_t z = at / ow / oh / o;
        double s = 0.0, q = 0.0;

        for (int64_t t = 0; t < c * 9; t++) {
            int64_t y = i + t / 3 % 3 - pad, v = j + t % 3 - pad;
            double term;

            if (y < 0 || y >= h || v < 0 || v >= width)
                continue;
            term = osw_get(w, f * c * 9 + t) *
                   osw_get(x, ((z * c + t / 9) * h + y) * width + v);
            s += term;
            q += term * term;
        }
        exact[at] = s;
        if (norm)
            norm[at] = sqrt(q);
    }
    return 0;
}
