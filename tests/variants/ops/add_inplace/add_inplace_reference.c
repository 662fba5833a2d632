/* add_inplace_reference.c - x += alpha * y, y broadcast. */
#include "../variants.h"

int add_inplace_reference(const osw_call *call)
{
    const osw_tensor *x = osw_arg_tensor(call, 0), *y = osw_arg_tensor(call, 1);
    double *exact =
        osw_output_alias(call, 0, 0) ? osw_output_exact(call, 0) : NULL;

    for (int64_t i = 0; exact && i < osw_numel(x); i++)
        exact[i] =
            osw_get(x, i) +
            osw_arg_float(call, 2, 1.0) *
                osw_load(y->dtype,
                         osw_at(y, osw_offset_in(y, x->ndim, x->shape, i)));
    return exact ? 0 : OSW_ERROR;
}
