/* bmm_pass__naive.c - four loops over strides, float or double. */
#include "../variants.h"

int bmm_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    int64_t m = a->shape[1], k = a->shape[2], n = b->shape[2];
    int64_t shape[3] = {a->shape[0], m, n};
    osw_tensor *out = osw_output(call, 0, a->dtype, 3, shape, NULL);

    if (!out)
        return OSW_ERROR;
    for (int64_t at = 0; at < osw_numel(out); at++) {
        int64_t z = at / n / m, i = at / n % m, j = at % n;
        float s = 0.0f;
        double d = 0.0;

        for (int64_t l = 0; l < k; l++) {
            double x = osw_get(a, (z * m + i) * k + l);
            double y = osw_get(b, (z * k + l) * n + j);

            s += (float)x * (float)y;
            d += x * y;
        }
        osw_set(out, at, is_double(a) ? d : (double)s);
    }
    return 0;
}
