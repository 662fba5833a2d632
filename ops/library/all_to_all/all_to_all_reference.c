/* ops/library/all_to_all/all_to_all_reference.c - the bits of all ranks */
#include "all_to_all.h"

int all_to_all_reference(const osw_call *call)
{
    struct osw_all_to_all a;
    int rc = osw_all_to_all_open(call, &a);

    for (int rank = 0; rank < osw_world(call) && rc == 0; rank++)
        memcpy(osw_all_to_all_at(&a, a.out, rank),
               osw_all_to_all_at(&a, osw_peer_tensor(call, rank, 0),
                                 osw_rank(call)),
               a.bytes);
    return rc;
}
