/* ops/library/native_group_norm/native_group_norm_reference.c - each group:
 * (x - mean) / sqrt(variance + eps) * weight + bias, in double and two passes
 */
#include "../shared/group_norm.h"

int native_group_norm_meta(const osw_call *call)
{
    struct osw_group_norm p = {0};

    return osw_group_norm_open(call, &p);
}

int native_group_norm_reference(const osw_call *call)
{
    struct osw_group_norm p = {0};
    int rc = osw_group_norm_open(call, &p);
    double *out, *means, *rstds;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    means = osw_output_exact(call, 1);
    rstds = osw_output_exact(call, 2);
    if (!out || !means || !rstds)
        return OSW_ERROR;
#pragma omp parallel for num_threads((int)call->n_threads)
    for (int64_t k = 0; k < p.x.n * p.groups; k++) {
        int64_t image = k / p.groups, g = k % p.groups;
        double mean = 0.0, variance = 0.0, n = (double)p.n;

        for (int64_t i = 0; i < p.n; i++)
            mean +=
                osw_group_norm_get(&p.x, osw_group_norm_spot(&p, image, g, i)) /
                n;
        for (int64_t i = 0; i < p.n; i++) {
            double d =
                osw_group_norm_get(&p.x, osw_group_norm_spot(&p, image, g, i)) -
                mean;

            variance += d * d / n;
        }
        means[k] = mean;
        rstds[k] = 1.0 / sqrt(variance + p.eps);
        for (int64_t i = 0; i < p.n; i++) {
            struct osw_spot s = osw_group_norm_spot(&p, image, g, i);

            out[osw_group_norm_at(&p.out, s)] =
                (osw_group_norm_get(&p.x, s) - mean) * rstds[k] *
                    osw_channels_get(&p.weight, s.c, 1) +
                osw_channels_get(&p.bias, s.c, 0);
        }
    }
    return 0;
}
