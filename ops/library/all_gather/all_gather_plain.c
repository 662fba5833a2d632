/* ops/library/all_gather/all_gather_plain.c - each rank sends its x to each
 * other one
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
    for (int step = 1; step < world && rc == 0; step++) {
        int from = (rank + world - step) % world;

        rc = osw_sendrecv(call, (rank + step) % world, osw_data(g.x), g.bytes,
                          from, osw_all_gather_at(call, &g, from), g.bytes);
    }
    return rc;
}
