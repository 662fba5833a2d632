/* ops/library/embedding/embedding_rows.c - whole rows, over threads */
#include "embedding.h"

int embedding_kernel_impl(const osw_call *call)
{
    struct osw_embedding e = {0};
    struct osw_slices from;
    int rc = osw_embedding_open(call, &e);

    if (rc)
        return rc;
    from = osw_slices_of(e.weight, 0);
    return osw_picking_run(call, e.out, &from, e.indices);
}
