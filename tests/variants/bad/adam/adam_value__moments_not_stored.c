/* adam_value__moments_not_stored.c - wrong: the second moment is used but not
 * written back. */
#include "../variants.h"

int adam_kernel_impl(const osw_call *call)
{
    osw_tensor *p = osw_output_alias(call, 0, 0),
               *m = osw_output_alias(call, 1, 1);
    osw_tensor *v = osw_output_alias(call, 2, 2);
    double t = osw_arg_float(call, 4, 1.0);

    if (!p || !m || !v)
        return OSW_ERROR;
    for (int64_t i = 0; i < osw_numel(p); i++) {
        double g = osw_get(osw_arg_tensor(call, 3), i);
        double mi = 0.9 * osw_get(m, i) + 0.1 * g,
               vi = 0.999 * osw_get(v, i) + 0.001 * g * g;

        osw_set(m, i, mi);
        osw_set(p, i,
                osw_get(p, i) - 1e-3 * mi / (1 - pow(0.9, t)) /
                                    (sqrt(vi / (1 - pow(0.999, t))) + 1e-8));
    }
    return 0;
}
