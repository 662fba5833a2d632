/* ops/library/embedding/embedding_reference.c - out[i] = weight[indices[i]] */
#include "embedding.h"

int embedding_meta(const osw_call *call)
{
    struct osw_embedding e = {0};

    return osw_embedding_open(call, &e);
}

int embedding_reference(const osw_call *call)
{
    struct osw_embedding e = {0};
    struct osw_slices out, from;
    int rc = osw_embedding_open(call, &e);

    if (rc)
        return rc;
    out = osw_slices_of(&e.flat, 0);
    from = osw_slices_of(e.weight, 0);
    return osw_picking_reference(call, &out, &from, e.indices);
}
