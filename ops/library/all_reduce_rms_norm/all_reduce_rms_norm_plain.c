/* ops/library/all_reduce_rms_norm/all_reduce_rms_norm_plain.c - all elements go
 * to all ranks, then rows are normed
 */
#include "all_reduce_rms_norm.h"

int all_reduce_rms_norm_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_reduced_norm r;
    int rc = osw_reduced_norm_open(call, &r);
    osw_tensor theirs;
    size_t bytes;
    int64_t n;
    float *h;

    if (rc)
        return rc;
    n = osw_numel(r.x);
    bytes = (size_t)n * osw_elem_bytes(r.x);
    h = (float *)osw_workspace(call, (size_t)n * sizeof(*h) + bytes + 1);
    if (!h)
        return OSW_ERROR;
    theirs = *r.x;
    theirs.data = h + n;
    theirs.byte_offset = 0;
    for (int64_t i = 0; i < n; i++)
        h[i] = (float)(osw_get(r.residual, i) + osw_get(r.x, i));
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + step) % world, osw_data(r.x), bytes,
                          (rank + world - step) % world, h + n, bytes);
        for (int64_t i = 0; i < n && rc == 0; i++)
            h[i] += (float)osw_get(&theirs, i);
    }
    if (rc == 0)
        osw_reduced_norm_rows(&r, 0, r.rows, h);
    return rc;
}
