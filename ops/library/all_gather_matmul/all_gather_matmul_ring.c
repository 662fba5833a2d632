/* ops/library/all_gather_matmul/all_gather_matmul_ring.c - x of each rank goes
 * around a ring, and is multiplied where it passes
 */
#include "all_gather_matmul.h"

int all_gather_matmul_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_ranks_product p;
    int rc = osw_gathered_open(call, &p);
    const float *have;
    float *room;
    size_t bytes;

    if (rc)
        return rc;
    bytes = (size_t)(p.m * p.k) * sizeof(float);
    room = (float *)osw_workspace(call, 2 * bytes + 1);
    if (!room)
        return OSW_ERROR;
    have = (const float *)osw_data(p.x);
    for (int step = 0; step < world && rc == 0; step++) {
        float *next = room + step % 2 * p.m * p.k;

        osw_ranks_product_rows(
            &p, have, p.m, 0,
            osw_gathered_at(&p, (rank + world - step) % world));
        if (step + 1 < world)
            rc = osw_sendrecv(call, (rank + 1) % world, have, bytes,
                              (rank + world - 1) % world, next, bytes);
        have = next;
    }
    return rc;
}
