/* _weight_norm_interface - slice by slice over threads */
#include "../shared/plain.h"
#include "../shared/weight_norm_plain.h"

int _weight_norm_interface_kernel_impl(const osw_call *call)
{
    struct osw_weight_norm n = {0};
    int rc = osw_weight_norm_open(call, &n), threads;

    if (rc)
        return rc;
    threads = osw_plain_threads(call, osw_numel(n.v.tensor));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < n.v.n; k++) {
        double norm = sqrt(osw_weight_norm_dot(&n, k, &n.v));

        osw_set(n.out, k, norm);
        osw_weight_norm_put(&n, k, &n.v, osw_get(n.g, k) / norm, 0.0);
    }
    return 0;
}
