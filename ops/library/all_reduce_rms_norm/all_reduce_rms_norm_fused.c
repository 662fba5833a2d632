/* ops/library/all_reduce_rms_norm/all_reduce_rms_norm_fused.c - some rows at a
 * time are exchanged, summed and normed, while they are in the cache
 */
#include "all_reduce_rms_norm.h"

enum { CHUNK = 8192 }; /* elements, or one row */

/* Rows [from, to): theirs, like x but for its data, takes those of a peer. */
static int reduced_norm_chunk(const osw_call *call,
                              const struct osw_reduced_norm *r, int64_t from,
                              int64_t to, float *h, const osw_tensor *theirs)
{
    int rank = osw_rank(call), world = osw_world(call), rc = 0;
    int64_t at = from * r->n, n = (to - from) * r->n;
    size_t bytes = (size_t)n * osw_elem_bytes(r->x);

    for (int64_t i = 0; i < n; i++)
        h[i] = (float)(osw_get(r->residual, at + i) + osw_get(r->x, at + i));
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + step) % world, osw_elem_at(r->x, at),
                          bytes, (rank + world - step) % world,
                          osw_data(theirs), bytes);
        for (int64_t i = 0; i < n && rc == 0; i++)
            h[i] += (float)osw_get(theirs, i);
    }
    if (rc == 0)
        osw_reduced_norm_rows(r, from, to, h);
    return rc;
}

int all_reduce_rms_norm_kernel_impl(const osw_call *call)
{
    struct osw_reduced_norm r;
    int rc = osw_reduced_norm_open(call, &r);
    int64_t some, room;
    osw_tensor theirs;
    float *h;

    if (rc)
        return rc;
    some = r.n > 0 && r.n < CHUNK ? CHUNK / r.n : 1;
    room = some * r.n;
    h = (float *)osw_workspace(
        call, (size_t)room * (sizeof(*h) + osw_elem_bytes(r.x)) + 1);
    if (!h)
        return OSW_ERROR;
    theirs = *r.x;
    theirs.data = h + room;
    theirs.byte_offset = 0;
    for (int64_t row = 0; row < r.rows && rc == 0; row += some)
        rc = reduced_norm_chunk(call, &r, row,
                                row + some < r.rows ? row + some : r.rows, h,
                                &theirs);
    return rc;
}
