/* all_gather/all_gather.h - (x): x of all ranks, one after the other along the
 * first dimension
 */
#ifndef OSW_LIBRARY_ALL_GATHER_H
#define OSW_LIBRARY_ALL_GATHER_H

#include "../shared/collective.h"

struct osw_all_gather {
    const osw_tensor *x;
    osw_tensor *out;
    size_t bytes; /* of a rank */
};

/* 0, or what to return. */
static inline int osw_all_gather_open(const osw_call *call,
                                      struct osw_all_gather *g)
{
    int64_t shape[64];

    g->x = osw_collective_input(call);
    if (!g->x || g->x->ndim < 1 || g->x->ndim > 64)
        return OSW_UNSUPPORTED;
    memcpy(shape, g->x->shape, sizeof(shape[0]) * (size_t)g->x->ndim);
    shape[0] *= osw_world(call);
    g->out = osw_output(call, 0, g->x->dtype, g->x->ndim, shape, NULL);
    g->bytes = (size_t)osw_numel(g->x) * osw_elem_bytes(g->x);
    return g->out ? 0 : OSW_ERROR;
}

/* Where x of a rank lies in the output; `rank` is taken modulo the world. */
static inline char *osw_all_gather_at(const osw_call *call,
                                      const struct osw_all_gather *g, int rank)
{
    int world = osw_world(call);

    return (char *)osw_data(g->out) +
           (size_t)((rank % world + world) % world) * g->bytes;
}

#endif /* OSW_LIBRARY_ALL_GATHER_H */
