/* ops/library/all_reduce_rms_norm/all_reduce_rms_norm_reference.c - in double
 */
#include "all_reduce_rms_norm.h"

int all_reduce_rms_norm_reference(const osw_call *call)
{
    struct osw_reduced_norm r;
    int rc = osw_reduced_norm_open(call, &r);
    double *out, *sum;

    if (rc)
        return rc;
    out = osw_output_exact(call, 0);
    sum = osw_output_exact(call, 1);
    if (!out || !sum)
        return OSW_ERROR;
    for (int64_t row = 0; row < r.rows; row++) {
        double squares = 0, *h = sum + row * r.n, *y = out + row * r.n;

        for (int64_t i = 0; i < r.n; i++) {
            h[i] = osw_get(r.residual, row * r.n + i);
            for (int rank = 0; rank < osw_world(call); rank++)
                h[i] += osw_get(osw_peer_tensor(call, rank, 0), row * r.n + i);
            squares += h[i] * h[i];
        }
        for (int64_t i = 0; i < r.n; i++)
            y[i] = h[i] / sqrt(squares / (double)r.n + r.eps) *
                   osw_get(r.weight, i);
    }
    return 0;
}
