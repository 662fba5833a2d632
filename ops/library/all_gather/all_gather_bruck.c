/* ops/library/all_gather/all_gather_bruck.c - what a rank has doubles with each
 * message
 *
 * Bruck et al., "Efficient algorithms for all-to-all communications in
 * multiport message-passing systems", IEEE TPDS 8 (1997).  In the workspace
 * ranks lie in the order of their distance from this one.
 */
#include "all_gather.h"

int all_gather_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_all_gather g;
    int rc = osw_all_gather_open(call, &g);
    char *near;

    if (rc)
        return rc;
    near = (char *)osw_workspace(call, (size_t)world * g.bytes + 1);
    if (!near)
        return OSW_ERROR;
    memcpy(near, osw_data(g.x), g.bytes);
    for (int have = 1; have < world && rc == 0; have *= 2) {
        size_t bytes =
            (size_t)(have < world - have ? have : world - have) * g.bytes;

        rc = osw_sendrecv(call, (rank + world - have) % world, near, bytes,
                          (rank + have) % world, near + (size_t)have * g.bytes,
                          bytes);
    }
    for (int step = 0; step < world && rc == 0; step++)
        memcpy(osw_all_gather_at(call, &g, rank + step),
               near + (size_t)step * g.bytes, g.bytes);
    return rc;
}
