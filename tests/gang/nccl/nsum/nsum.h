/* nsum/nsum.h - the sum of all ranks' x by NCCL, and parts of it
 *
 * Each file is C for the twin, and included by a .cu of the same name.
 */
#ifndef OSW_TESTS_GANG_NSUM_H
#define OSW_TESTS_GANG_NSUM_H

#include <signal.h>

#include <opsweep/nccl.h>

struct nsum {
    const osw_call *call;
    const osw_tensor *x, *out;
    size_t n;
    int type, rank;
};

static inline int nsum_open(const osw_call *call, struct nsum *s)
{
    s->call = call;
    s->x = osw_arg_tensor(call, 0);
    s->n = (size_t)osw_numel(s->x);
    s->type = osw_nccl_type(s->x->dtype);
    s->rank = osw_rank(call);
    s->out = osw_output(call, 0, s->x->dtype, s->x->ndim, s->x->shape, NULL);
    return s->out && osw_nccl_comm(call) ? 0 : OSW_ERROR;
}

/* The first n elements. */
static inline int nsum_reduce(const struct nsum *s, size_t n, int op)
{
    return osw_nccl_all_reduce(s->call, osw_data(s->x), osw_data(s->out), n,
                               s->type, op);
}

/* Of n elements of x from one on, the sum to the output from another one on. */
static inline int nsum_reduce_part(const struct nsum *s, size_t from, size_t to,
                                   size_t n)
{
    return osw_nccl_all_reduce(s->call, (const float *)osw_data(s->x) + from,
                               (float *)osw_data(s->out) + to, n, s->type,
                               OSW_NCCL_SUM);
}

/* Own elements: n of x from one on, to the output from another one on. */
static inline int nsum_copy(const struct nsum *s, size_t from, size_t to,
                            size_t n)
{
    return osw_nccl_group_start(s->call) ||
                   osw_nccl_send(s->call, (const float *)osw_data(s->x) + from,
                                 n, s->type, s->rank) ||
                   osw_nccl_recv(s->call, (float *)osw_data(s->out) + to, n,
                                 s->type, s->rank)
               ? OSW_ERROR
               : osw_nccl_group_end(s->call);
}

/* Own elements from the nth on. */
static inline int nsum_keep(const struct nsum *s, size_t n)
{
    return nsum_copy(s, n, n, s->n - n);
}

#endif /* OSW_TESTS_GANG_NSUM_H */
