/* ops/library/reduce_scatter/reduce_scatter_ring.c - a piece goes around the
 * ring and ends, combined, at its own rank
 */
#include "reduce_scatter.h"

int reduce_scatter_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_reduce_scatter s;
    int rc = osw_reduce_scatter_open(call, &s);
    char *sent;

    if (rc)
        return rc;
    sent = (char *)osw_workspace(call, s.bytes + 1);
    if (!sent)
        return OSW_ERROR;
    memcpy(sent, osw_reduce_scatter_at(call, &s, s.x, rank - 1), s.bytes);
    for (int step = 1; step < world && rc == 0; step++) {
        rc = osw_sendrecv(call, (rank + 1) % world, sent, s.bytes,
                          (rank + world - 1) % world, osw_data(s.out), s.bytes);
        if (rc)
            return rc;
        s.combine(s.x->dtype, osw_data(s.out),
                  osw_reduce_scatter_at(call, &s, s.x, rank - step - 1), s.n);
        memcpy(sent, osw_data(s.out), s.bytes);
    }
    return rc;
}
