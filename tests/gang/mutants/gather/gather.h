/* gather/gather.h - x of all ranks in the order of ranks: i64 */
#ifndef OSW_TESTS_GANG_GATHER_H
#define OSW_TESTS_GANG_GATHER_H

#include <string.h>

#include <opsweep/collective.h>

struct gather {
    const osw_call *call;
    const int64_t *x;
    int64_t *out;
    int64_t n;
    size_t bytes; /* of x */
    int rank, world;
};

static inline int gather_open(const osw_call *call, struct gather *g)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    int64_t shape[1] = {x->shape[0] * osw_world(call)};
    osw_tensor *out = osw_output(call, 0, x->dtype, 1, shape, NULL);

    g->call = call;
    g->x = (const int64_t *)osw_data(x);
    g->out = out ? (int64_t *)osw_data(out) : NULL;
    g->n = x->shape[0];
    g->bytes = (size_t)g->n * sizeof(int64_t);
    g->rank = osw_rank(call);
    g->world = osw_world(call);
    return out ? 0 : OSW_ERROR;
}

/* x of the rank `step` back, to place `at`. */
static inline int gather_from(const struct gather *g, int step, int at)
{
    return osw_sendrecv(g->call, (g->rank + step) % g->world, g->x, g->bytes,
                        (g->rank + g->world - step) % g->world,
                        g->out + at * g->n, g->bytes);
}

#endif /* OSW_TESTS_GANG_GATHER_H */
