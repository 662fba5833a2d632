/* _weight_norm_interface_backward - slice by slice, in double: of v what grad_w
 * has across it, of g what grad_w has along it
 */
#include "../shared/weight_norm.h"

int _weight_norm_interface_backward_meta(const osw_call *call)
{
    struct osw_weight_norm n = {0};

    return osw_weight_norm_open_backward(call, &n);
}

int _weight_norm_interface_backward_reference(const osw_call *call)
{
    struct osw_weight_norm n = {0};
    int rc = osw_weight_norm_open_backward(call, &n);
    double *dv = rc ? NULL : osw_output_exact(call, 0);
    double *dg = dv ? osw_output_exact(call, 1) : NULL;

    if (!dg)
        return rc ? rc : OSW_ERROR;
    for (int64_t k = 0; k < n.v.n; k++) {
        double norm = osw_get(n.norms, k), g = osw_get(n.g, k), along = 0.0;

        for (int64_t i = 0; i < osw_weight_norm_size(&n); i++)
            along += osw_weight_norm_get(&n.grad, k, i) *
                     osw_weight_norm_get(&n.v, k, i);
        dg[k] = along / norm;
        for (int64_t i = 0; i < osw_weight_norm_size(&n); i++)
            dv[osw_weight_norm_place(&n, k, i)] =
                g / norm *
                (osw_weight_norm_get(&n.grad, k, i) -
                 osw_weight_norm_get(&n.v, k, i) * along / (norm * norm));
    }
    return 0;
}
