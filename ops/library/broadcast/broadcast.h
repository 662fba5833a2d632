/* broadcast/broadcast.h - (x, root): all ranks get x of rank root */
#ifndef OSW_LIBRARY_BROADCAST_H
#define OSW_LIBRARY_BROADCAST_H

#include "../shared/collective.h"

struct osw_broadcast {
    const osw_tensor *x;
    osw_tensor *out;
    size_t bytes;
    int root, distance; /* of this rank from the root, upward and around */
};

/* 0, or what to return. */
static inline int osw_broadcast_open(const osw_call *call,
                                     struct osw_broadcast *b)
{
    int64_t root = osw_arg_int(call, 1, 0);
    int world = osw_world(call);

    b->x = osw_collective_input(call);
    if (!b->x)
        return OSW_UNSUPPORTED;
    if (root < 0 || root >= world)
        return osw_error(call, "no such root");
    b->root = (int)root;
    b->distance = (osw_rank(call) + world - b->root) % world;
    b->out = osw_output(call, 0, b->x->dtype, b->x->ndim, b->x->shape, NULL);
    b->bytes = (size_t)osw_numel(b->x) * osw_elem_bytes(b->x);
    return b->out ? 0 : OSW_ERROR;
}

#endif /* OSW_LIBRARY_BROADCAST_H */
