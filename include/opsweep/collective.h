/* opsweep/collective.h - the ranks of a collective op (ABI version 1)
 *
 * An op whose op.json says "world": N runs as N processes at a time.  Each has
 * its own rank, 0 to N - 1, and its own inputs: the same shapes as all others,
 * other values.  All ranks make the same calls in the same order.
 *
 * An implementation reaches other ranks by osw_send(), osw_recv(),
 * osw_sendrecv() and osw_barrier().  Between two ranks messages arrive in the
 * order in which they were sent, and a message must be received with the size
 * that it was sent with.  A send may wait until its message is received: ranks
 * that exchange messages use osw_sendrecv().  Each returns 0, or OSW_ERROR with
 * a message left for the record: return that.
 *
 * A reference does not communicate: it has the inputs of all ranks, by
 * osw_peer_tensor(), and makes the outputs of its own rank.
 *
 * The functions may be called from one thread at a time, in
 * <op>_prepare and in the call itself.
 */
#ifndef OPSWEEP_COLLECTIVE_H
#define OPSWEEP_COLLECTIVE_H

#include <opsweep/op.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What call->communicator points to.  Use the functions below. */
typedef struct osw_communicator osw_communicator;
struct osw_communicator {
    uint32_t bytes; /* sizeof(osw_communicator) of the caller */
    int32_t rank;   /* 0 to size - 1 */
    int32_t size;
    int32_t one_node; /* 1: all ranks are on one node; 0: they are not */
    void *runner;     /* not yours */
    /* NULL for a reference. */
    int (*sendrecv)(const osw_communicator *c, int to, const void *sent,
                    size_t sent_bytes, int from, void *got, size_t got_bytes);
    /* NULL for an implementation. */
    const osw_arg *(*peer_args)(const osw_communicator *c, int rank);
    /* NCCL's communicator, or its function of that name. */
    void *(*nccl)(const osw_communicator *c, const char *symbol);
};

/* NULL: the op is not collective, its op.json has no "world". */
static inline const osw_communicator *osw_communicator_of(const osw_call *call)
{
    return (const osw_communicator *)call->communicator;
}

/* Of an op that is not collective: 0 of 1. */
static inline int osw_rank(const osw_call *call)
{
    const osw_communicator *c = osw_communicator_of(call);

    return c ? c->rank : 0;
}

static inline int osw_world(const osw_call *call)
{
    const osw_communicator *c = osw_communicator_of(call);

    return c ? c->size : 1;
}

/* 1: all ranks are on one node, so CUDA's IPC reaches each other's memory.  0:
 * they are not, and code that needs that returns OSW_UNSUPPORTED.
 */
static inline int osw_one_node(const osw_call *call)
{
    const osw_communicator *c = osw_communicator_of(call);

    return c ? c->one_node : 1;
}

/* Send to rank `to` and receive from rank `from` (-1: none) at the same time;
 * both may be the same rank, and neither this one.
 */
static inline int osw_sendrecv(const osw_call *call, int to, const void *sent,
                               size_t sent_bytes, int from, void *got,
                               size_t got_bytes)
{
    const osw_communicator *c = osw_communicator_of(call);

    if (!c || !c->sendrecv)
        return osw_error(call, c ? "a reference has no communicator"
                                 : "no communicator: op.json has no \"world\"");
    return c->sendrecv(c, to, sent, sent_bytes, from, got, got_bytes);
}

static inline int osw_send(const osw_call *call, int to, const void *data,
                           size_t bytes)
{
    return osw_sendrecv(call, to, data, bytes, -1, NULL, 0);
}

static inline int osw_recv(const osw_call *call, int from, void *data,
                           size_t bytes)
{
    return osw_sendrecv(call, -1, NULL, 0, from, data, bytes);
}

/* Returns after every rank has called it, by log2(size) empty messages. */
static inline int osw_barrier(const osw_call *call)
{
    int rank = osw_rank(call), size = osw_world(call), step, rc = 0;

    for (step = 1; step < size && rc == 0; step *= 2)
        rc = osw_sendrecv(call, (rank + step) % size, NULL, 0,
                          (rank + size - step) % size, NULL, 0);
    return rc;
}

/* NCCL's communicator (ncclComm_t) of all ranks, each on a GPU of its own; NULL
 * with a message left for the record.  It is made when all ranks have asked for
 * it, which takes a second, and kept until the process ends: do not destroy it.
 * opsweep/nccl.h calls NCCL by it.
 */
static inline void *osw_nccl_comm(const osw_call *call)
{
    const osw_communicator *c = osw_communicator_of(call);

    if (c && c->bytes >= sizeof(*c) && c->nccl)
        return c->nccl(c, NULL);
    (void)osw_error(call, "no NCCL: only implementations of collective ops "
                          "have it");
    return NULL;
}

/* A function of that NCCL, after osw_nccl_comm(); NULL: it has none of that
 * name.  So op code need not be linked with NCCL.
 */
static inline void *osw_nccl_function(const osw_call *call, const char *name)
{
    const osw_communicator *c = osw_communicator_of(call);

    return c && c->bytes >= sizeof(*c) && c->nccl ? c->nccl(c, name) : NULL;
}

/* For references: the arguments of a rank, [call->n_args], as call->args are
 * those of its own.  NULL for an implementation, which must communicate.
 */
static inline const osw_arg *osw_peer_args(const osw_call *call, int rank)
{
    const osw_communicator *c = osw_communicator_of(call);

    return c && c->peer_args ? c->peer_args(c, rank) : NULL;
}

/* For references: argument i of a rank; NULL where it is no tensor. */
static inline const osw_tensor *osw_peer_tensor(const osw_call *call, int rank,
                                                int i)
{
    const osw_arg *args = osw_peer_args(call, rank);

    return args && i >= 0 && (uint32_t)i < call->n_args &&
                   args[i].tag == OSW_ARG_TENSOR
               ? args[i].u.tensor
               : NULL;
}

#ifdef __cplusplus
}
#endif

#endif /* OPSWEEP_COLLECTIVE_H */
