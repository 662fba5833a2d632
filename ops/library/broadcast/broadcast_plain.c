/* ops/library/broadcast/broadcast_plain.c - the root sends to each other rank
 */
#include "broadcast.h"

int broadcast_kernel_impl(const osw_call *call)
{
    struct osw_broadcast b = {0};
    int rc = osw_broadcast_open(call, &b);

    if (rc || b.distance > 0)
        return rc ? rc : osw_recv(call, b.root, osw_data(b.out), b.bytes);
    memcpy(osw_data(b.out), osw_data(b.x), b.bytes);
    for (int rank = 0; rank < osw_world(call) && rc == 0; rank++)
        if (rank != b.root)
            rc = osw_send(call, rank, osw_data(b.out), b.bytes);
    return rc;
}
