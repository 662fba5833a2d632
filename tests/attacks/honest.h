/* attacks/honest.h - the reference that all ops here share */
#include <opsweep/elements.h>

static int scale_exactly(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        exact[i] = osw_arg_float(call, 1, 1.0) * osw_get(x, i);
    return 0;
}
