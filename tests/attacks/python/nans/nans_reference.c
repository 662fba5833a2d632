/* nans_reference.c - It returns NaN. */

#define _GNU_SOURCE
#include "../../attack.h"
#include "../../honest.h"

int nans_reference(const osw_call *call)
{
    double *exact;
    int code = scale_exactly(call);

    exact = code ? NULL : osw_output_exact(call, 0);
    for (int64_t i = 0; exact && i < osw_numel(osw_arg_tensor(call, 0)); i++)
        exact[i] = 0.0 / 0.0;
    return code;
}
