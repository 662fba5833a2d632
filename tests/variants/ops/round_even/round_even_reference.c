/* round_even_reference.c - x * step to the nearest integer, halves to even. */
#include "../map.h"

int round_even_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    double *exact = output_like(call, 0, x) ? osw_output_exact(call, 0) : NULL;

    for (int64_t i = 0; exact && i < osw_numel(x); i++)
        exact[i] = nearbyint(osw_get(x, i) * osw_arg_float(call, 1, 1.0));
    return exact ? 0 : OSW_ERROR;
}
