/* reduced_reference.c - The independent oracle, in double. */

#include <math.h>

#include <opsweep/elements.h>

int reduced_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *y = osw_output(call, 0, x->dtype, 0, NULL, NULL);
    double *exact = y ? osw_output_exact(call, 0) : NULL, sum = 0;

    if (!exact)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(x); i++)
        sum += exp(osw_get(x, i));
    *exact = log(sum);
    return 0;
}
