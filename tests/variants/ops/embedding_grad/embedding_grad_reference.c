/* embedding_grad_reference.c - sums of the rows of grad by index, in double,
 * with their norms. */
#include "../variants.h"

int embedding_grad_reference(const osw_call *call)
{
    const osw_tensor *g = osw_arg_tensor(call, 0),
                     *at = osw_arg_tensor(call, 1);
    int64_t d = g->shape[1], rows = osw_arg_int(call, 2, 0),
            shape[2] = {rows, d};
    double *exact, *norm;

    if (!osw_output(call, 0, g->dtype, 2, shape, NULL))
        return OSW_ERROR;
    exact = osw_output_exact(call, 0);
    norm = osw_output_norm(call, 0);
    if (!exact)
        return OSW_ERROR;
    memset(exact, 0, (size_t)(rows * d) * 8);
    if (norm)
        memset(norm, 0, (size_t)(rows * d) * 8);
    for (int64_t i = 0; i < osw_numel(g); i++) {
        int64_t row = osw_get_int(at, i / d);
        double v = osw_get(g, i);

        if (row == osw_arg_int(call, 3, -1))
            continue;
        exact[row * d + i % d] += v;
        if (norm)
            norm[row * d + i % d] = hypot(norm[row * d + i % d], v);
    }
    return 0;
}
