/* sum/sum.h - the sum of all ranks' x, and parts that mutants exchange */
#ifndef OSW_TESTS_GANG_SUM_H
#define OSW_TESTS_GANG_SUM_H

#include <stdlib.h>
#include <string.h>

#include <opsweep/collective.h>

struct sum {
    const osw_call *call;
    const float *x;
    float *out, *room; /* [n] room: what came from another rank */
    int64_t n;
    int rank, world;
};

static inline int sum_open(const osw_call *call, struct sum *s)
{
    const osw_tensor *x = osw_arg_tensor(call, 0);
    osw_tensor *out = osw_output(call, 0, x->dtype, x->ndim, x->shape, NULL);

    s->call = call;
    s->n = osw_numel(x);
    s->x = (const float *)osw_data(x);
    s->out = out ? (float *)osw_data(out) : NULL;
    s->room = (float *)osw_workspace(call, (size_t)s->n * sizeof(float) + 1);
    s->rank = osw_rank(call);
    s->world = osw_world(call);
    return s->out && s->room ? 0 : OSW_ERROR;
}

/* Send `sent` to the rank `step` further on, and add what comes from the one
 * `step` back to the output.
 */
static inline int sum_add(const struct sum *s, const float *sent, int step)
{
    size_t bytes = (size_t)s->n * sizeof(float);
    int rc =
        osw_sendrecv(s->call, (s->rank + step) % s->world, sent, bytes,
                     (s->rank + s->world - step) % s->world, s->room, bytes);

    for (int64_t i = 0; i < s->n && rc == 0; i++)
        s->out[i] += s->room[i];
    return rc;
}

static inline int sum_all(const struct sum *s, const float *sent)
{
    int rc = 0;

    memcpy(s->out, s->x, (size_t)s->n * sizeof(float));
    for (int step = 1; step < s->world && rc == 0; step++)
        rc = sum_add(s, sent, step);
    return rc;
}

#endif /* OSW_TESTS_GANG_SUM_H */
