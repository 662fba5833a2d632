/* ops/library/broadcast/broadcast_chain.c - in chunks from rank to rank, so
 * that all links work at a time
 */
#include "broadcast.h"

enum { BROADCAST_CHUNK = 64 << 10 };

int broadcast_kernel_impl(const osw_call *call)
{
    int rank = osw_rank(call), world = osw_world(call);
    struct osw_broadcast b = {0};
    int rc = osw_broadcast_open(call, &b);

    if (rc)
        return rc;
    if (b.distance == 0)
        memcpy(osw_data(b.out), osw_data(b.x), b.bytes);
    for (size_t at = 0; at < b.bytes && rc == 0; at += BROADCAST_CHUNK) {
        char *chunk = (char *)osw_data(b.out) + at;
        size_t n =
            b.bytes - at < BROADCAST_CHUNK ? b.bytes - at : BROADCAST_CHUNK;

        if (b.distance > 0)
            rc = osw_recv(call, (rank + world - 1) % world, chunk, n);
        if (rc == 0 && b.distance < world - 1)
            rc = osw_send(call, (rank + 1) % world, chunk, n);
    }
    return rc;
}
