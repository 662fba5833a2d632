/* ops/library/reduce_scatter/reduce_scatter_plain.c - each rank sends each
 * other one its piece
 */
#include "reduce_scatter.h"

int reduce_scatter_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_reduce_scatter s;
    int rc = osw_reduce_scatter_open(call, &s);
    char *room;

    if (rc)
        return rc;
    room = (char *)osw_workspace(call, s.bytes + 1);
    if (!room)
        return OSW_ERROR;
    memcpy(osw_data(s.out), osw_reduce_scatter_at(call, &s, s.x, rank),
           s.bytes);
    for (int step = 1; step < world && rc == 0; step++) {
        int to = (rank + step) % world;

        rc =
            osw_sendrecv(call, to, osw_reduce_scatter_at(call, &s, s.x, to),
                         s.bytes, (rank + world - step) % world, room, s.bytes);
        if (rc == 0)
            s.combine(s.x->dtype, osw_data(s.out), room, s.n);
    }
    return rc;
}
