/* _weight_norm_interface - slice by slice, in double */
#include "../shared/weight_norm.h"

int _weight_norm_interface_meta(const osw_call *call)
{
    struct osw_weight_norm n = {0};

    return osw_weight_norm_open(call, &n);
}

int _weight_norm_interface_reference(const osw_call *call)
{
    struct osw_weight_norm n = {0};
    int rc = osw_weight_norm_open(call, &n);
    double *w = rc ? NULL : osw_output_exact(call, 0);
    double *norms = w ? osw_output_exact(call, 1) : NULL;

    if (!norms)
        return rc ? rc : OSW_ERROR;
    for (int64_t k = 0; k < n.v.n; k++) {
        double squares = 0.0;

        for (int64_t i = 0; i < osw_weight_norm_size(&n); i++) {
            double v = osw_weight_norm_get(&n.v, k, i);

            squares += v * v;
        }
        norms[k] = sqrt(squares);
        for (int64_t i = 0; i < osw_weight_norm_size(&n); i++)
            w[osw_weight_norm_place(&n, k, i)] =
                osw_weight_norm_get(&n.v, k, i) * osw_get(n.g, k) / norms[k];
    }
    return 0;
}
