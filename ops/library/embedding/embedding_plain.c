/* ops/library/embedding/embedding_plain.c - one row after the other */
#include "../shared/plain_picking.h"
#include "embedding.h"

int embedding_kernel_impl(const osw_call *call)
{
    struct osw_embedding e = {0};
    struct osw_slices from;
    int rc = osw_embedding_open(call, &e);

    if (rc)
        return rc;
    from = osw_slices_of(e.weight, 0);
    return osw_plain_pick(call, e.out, &from, e.indices);
}
