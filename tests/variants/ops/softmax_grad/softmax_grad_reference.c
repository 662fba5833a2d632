/* softmax_grad_reference.c - y (g - sum(g y)) in double. */
#include "../variants.h"

int softmax_grad_reference(const osw_call *call)
{
    const osw_tensor *g = osw_arg_tensor(call, 0), *y = osw_arg_tensor(call, 1);
    int64_t n = y->shape[1];
    double *exact = output_like(call, 0, y) ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t r = 0; r < y->shape[0]; r++) {
        double s = 0.0;

        for (int64_t k = r * n; k < r * n + n; k++)
            s += osw_get(g, k) * osw_get(y, k);
        for (int64_t k = r * n; k < r * n + n; k++)
            exact[k] = osw_get(y, k) * (osw_get(g, k) - s);
    }
    return 0;
}
