/* add_pass__vectors_of_four.c - four at a time where it can, one at a time
 * after that
 */
#include "add.h"

static void add_four(const struct add *g, const float *a, const float *b,
                     float *y)
{
    int64_t i;

    for (i = 0; i + 4 <= g->n; i += 4)
        for (int64_t q = 0; q < 4; q++)
            y[i + q] = a[i + q] + (float)g->alpha * b[i + q];
    for (; i < g->n; i++)
        y[i] = a[i] + (float)g->alpha * b[i];
}

int add_kernel_impl(const osw_call *call)
{
    const osw_tensor *a = osw_arg_tensor(call, 0);
    const osw_tensor *b = osw_arg_tensor(call, 1);
    struct add g;
    int rc;

    if (!osw_is(a, OSW_FLOAT, 32) || !osw_is_contiguous(a) ||
        !osw_is_contiguous(b) || osw_numel(a) != osw_numel(b))
        return OSW_UNSUPPORTED;
    rc = add_open(call, &g);
    if (!rc)
        add_four(&g, osw_data(a), osw_data(b), (float *)g.y.at);
    return rc;
}
