/* ops/library/all_gather/all_gather_ring.c - each rank passes on what it got
 * last
 */
#include "all_gather.h"

int all_gather_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_all_gather g;
    int rc = osw_all_gather_open(call, &g);

    if (rc)
        return rc;
    memcpy(osw_all_gather_at(call, &g, rank), osw_data(g.x), g.bytes);
    for (int step = 0; step < world - 1 && rc == 0; step++)
        rc = osw_sendrecv(
            call, (rank + 1) % world, osw_all_gather_at(call, &g, rank - step),
            g.bytes, (rank + world - 1) % world,
            osw_all_gather_at(call, &g, rank - step - 1), g.bytes);
    return rc;
}
