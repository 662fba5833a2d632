/* reduce_scatter/reduce_scatter.h - (x, reduce): each rank gets its piece, by
 * the first dimension, of the sum or the maximum of all ranks
 */
#ifndef OSW_LIBRARY_REDUCE_SCATTER_H
#define OSW_LIBRARY_REDUCE_SCATTER_H

#include "../shared/collective.h"

struct osw_reduce_scatter {
    const osw_tensor *x;
    osw_tensor *out;
    osw_combine *combine;
    int64_t n;    /* elements of a rank's piece */
    size_t bytes; /* of them */
};

/* 0, or what to return. */
static inline int osw_reduce_scatter_open(const osw_call *call,
                                          struct osw_reduce_scatter *s)
{
    int64_t shape[64];

    s->x = osw_collective_input(call);
    s->combine = s->x ? osw_combine_of(call, 1, s->x->dtype) : NULL;
    if (!s->combine || s->x->ndim < 1 || s->x->ndim > 64 ||
        s->x->shape[0] % osw_world(call) != 0)
        return OSW_UNSUPPORTED;
    memcpy(shape, s->x->shape, sizeof(shape[0]) * (size_t)s->x->ndim);
    shape[0] /= osw_world(call);
    s->out = osw_output(call, 0, s->x->dtype, s->x->ndim, shape, NULL);
    if (!s->out)
        return OSW_ERROR;
    s->n = osw_numel(s->out);
    s->bytes = (size_t)s->n * osw_elem_bytes(s->x);
    return 0;
}

/* Piece `rank` of x of some rank; it is taken modulo the world. */
static inline char *osw_reduce_scatter_at(const osw_call *call,
                                          const struct osw_reduce_scatter *s,
                                          const osw_tensor *x, int rank)
{
    int world = osw_world(call);

    return (char *)osw_data(x) +
           (size_t)((rank % world + world) % world) * s->bytes;
}

#endif /* OSW_LIBRARY_REDUCE_SCATTER_H */
