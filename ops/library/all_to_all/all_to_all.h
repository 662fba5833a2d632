/* all_to_all/all_to_all.h - (x): piece r of x, by the first dimension, goes to
 * rank r; what came from rank r is piece r of the output
 */
#ifndef OSW_LIBRARY_ALL_TO_ALL_H
#define OSW_LIBRARY_ALL_TO_ALL_H

#include "../shared/collective.h"

struct osw_all_to_all {
    const osw_tensor *x;
    osw_tensor *out;
    size_t bytes; /* of a piece */
};

/* 0, or what to return. */
static inline int osw_all_to_all_open(const osw_call *call,
                                      struct osw_all_to_all *a)
{
    int world = osw_world(call);

    a->x = osw_collective_input(call);
    if (!a->x || a->x->ndim < 1 || a->x->shape[0] % world != 0)
        return OSW_UNSUPPORTED;
    a->out = osw_output(call, 0, a->x->dtype, a->x->ndim, a->x->shape, NULL);
    a->bytes = (size_t)(osw_numel(a->x) / world) * osw_elem_bytes(a->x);
    return a->out ? 0 : OSW_ERROR;
}

static inline char *osw_all_to_all_at(const struct osw_all_to_all *a,
                                      const osw_tensor *t, int rank)
{
    return (char *)osw_data(t) + (size_t)rank * a->bytes;
}

#endif /* OSW_LIBRARY_ALL_TO_ALL_H */
