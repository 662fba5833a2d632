/* ops/library/broadcast/broadcast_tree.c - a binomial tree: each rank that has
 * it sends it to one that has not
 */
#include "broadcast.h"

int broadcast_kernel_impl(const osw_call *call)
{
    int world = osw_world(call);
    struct osw_broadcast b = {0};
    int rc = osw_broadcast_open(call, &b);

    if (rc)
        return rc;
    if (b.distance == 0)
        memcpy(osw_data(b.out), osw_data(b.x), b.bytes);
    for (int have = 1; have < world && rc == 0; have *= 2) {
        if (b.distance < have && b.distance + have < world)
            rc = osw_send(call, (b.root + b.distance + have) % world,
                          osw_data(b.out), b.bytes);
        else if (b.distance >= have && b.distance < 2 * have)
            rc = osw_recv(call, (b.root + b.distance - have) % world,
                          osw_data(b.out), b.bytes);
    }
    return rc;
}
