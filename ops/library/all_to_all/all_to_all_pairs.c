/* ops/library/all_to_all/all_to_all_pairs.c - in step k with the rank whose
 * number differs in the bits of k; a rank without a partner waits a step
 */
#include "all_to_all.h"

int all_to_all_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call), steps = 1;
    struct osw_all_to_all a;
    int rc = osw_all_to_all_open(call, &a);

    if (rc)
        return rc;
    memcpy(osw_all_to_all_at(&a, a.out, rank), osw_all_to_all_at(&a, a.x, rank),
           a.bytes);
    while (steps < world)
        steps *= 2;
    for (int step = 1; step < steps && rc == 0; step++) {
        int peer = rank ^ step;

        if (peer < world)
            rc = osw_sendrecv(call, peer, osw_all_to_all_at(&a, a.x, peer),
                              a.bytes, peer, osw_all_to_all_at(&a, a.out, peer),
                              a.bytes);
    }
    return rc;
}
