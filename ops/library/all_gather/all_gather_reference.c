/* ops/library/all_gather/all_gather_reference.c - the bits of all ranks */
#include "all_gather.h"

int all_gather_reference(const osw_call *call)
{
    struct osw_all_gather g;
    int rc = osw_all_gather_open(call, &g);

    for (int rank = 0; rank < osw_world(call) && rc == 0; rank++)
        memcpy(osw_all_gather_at(call, &g, rank),
               osw_data(osw_peer_tensor(call, rank, 0)), g.bytes);
    return rc;
}
