/* ops/library/all_to_all/all_to_all_plain.c - in step k to the rank k further
 * on
 */
#include "all_to_all.h"

int all_to_all_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_all_to_all a;
    int rc = osw_all_to_all_open(call, &a);

    if (rc)
        return rc;
    memcpy(osw_all_to_all_at(&a, a.out, rank), osw_all_to_all_at(&a, a.x, rank),
           a.bytes);
    for (int step = 1; step < world && rc == 0; step++) {
        int to = (rank + step) % world, from = (rank + world - step) % world;

        rc = osw_sendrecv(call, to, osw_all_to_all_at(&a, a.x, to), a.bytes,
                          from, osw_all_to_all_at(&a, a.out, from), a.bytes);
    }
    return rc;
}
