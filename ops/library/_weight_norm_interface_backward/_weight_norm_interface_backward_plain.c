/* _weight_norm_interface_backward - slice by slice over threads */
#include "../shared/plain.h"
#include "../shared/weight_norm_plain.h"

int _weight_norm_interface_backward_kernel_impl(const osw_call *call)
{
    struct osw_weight_norm n = {0};
    int rc = osw_weight_norm_open_backward(call, &n), threads;

    if (rc)
        return rc;
    threads = osw_plain_threads(call, osw_numel(n.v.tensor));
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (int64_t k = 0; k < n.v.n; k++) {
        double norm = osw_get(n.norms, k), a = osw_get(n.g, k) / norm;
        double along = osw_weight_norm_dot(&n, k, &n.grad);

        osw_set(n.out, k, along / norm);
        osw_weight_norm_put(&n, k, &n.grad, a, -a * along / (norm * norm));
    }
    return 0;
}
