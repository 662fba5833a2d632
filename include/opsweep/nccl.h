/* opsweep/nccl.h - NCCL's operations in implementations of collective ops
 *
 * NCCL is found and loaded by opsweep when an op first asks for it; nothing has
 * to be linked, and nccl.h is not needed.  Code that has nccl.h casts
 * osw_nccl_comm() to ncclComm_t, and gets functions by osw_nccl_function().
 *
 * Each function enqueues on call->stream, and returns 0, or OSW_ERROR with a
 * message left for the record: return that.  Counts are elements; what is
 * received has the same type.  All ranks make the same calls in the same order.
 */
#ifndef OPSWEEP_NCCL_H
#define OPSWEEP_NCCL_H

#include <stdio.h>
#include <string.h>

#include <opsweep/collective.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As NCCL numbers them. */
enum {
    OSW_NCCL_SUM = 0,
    OSW_NCCL_PROD = 1,
    OSW_NCCL_MAX = 2,
    OSW_NCCL_MIN = 3,
    OSW_NCCL_BYTE = 1 /* a type, to move elements of any kind */
};

/* NCCL's type of elements; -1: it has none. */
static inline int osw_nccl_type(osw_dtype t)
{
    static const struct {
        uint8_t code, bits;
        int type;
    } types[] = {{OSW_INT, 8, 0},    {OSW_UINT, 8, 1},   {OSW_BOOL, 8, 1},
                 {OSW_INT, 32, 2},   {OSW_UINT, 32, 3},  {OSW_INT, 64, 4},
                 {OSW_UINT, 64, 5},  {OSW_FLOAT, 16, 6}, {OSW_FLOAT, 32, 7},
                 {OSW_FLOAT, 64, 8}, {OSW_BFLOAT, 16, 9}};
    size_t i;

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].code == t.code && types[i].bits == t.bits)
            return types[i].type;
    return -1;
}

/* After a function of NCCL: 0, or OSW_ERROR with its words. */
static inline int osw_nccl_check(const osw_call *call, const char *name,
                                 int code)
{
    const char *(*words)(int) = NULL;
    void *found;
    char text[160];

    if (code == 0)
        return 0;
    found = osw_nccl_function(call, "ncclGetErrorString");
    memcpy(&words, &found, sizeof(words));
    snprintf(text, sizeof(text), "%s: error %d, %s", name, code,
             words ? words(code) : "");
    return osw_error(call, text);
}

/* Store the address of a function in *f, a pointer to such functions, and the
 * communicator.  0, or OSW_ERROR with a message.
 */
static inline int osw_nccl_find(const osw_call *call, const char *name, void *f,
                                void **comm)
{
    void *found;
    char text[96];

    *comm = osw_nccl_comm(call);
    if (!*comm)
        return OSW_ERROR;
    found = osw_nccl_function(call, name);
    memcpy(f, &found, sizeof(found));
    if (found)
        return 0;
    snprintf(text, sizeof(text), "this NCCL has no %s", name);
    return osw_error(call, text);
}

/* to[i] = the sum (op) of from[i] of all ranks, on all ranks. */
static inline int osw_nccl_all_reduce(const osw_call *call, const void *from,
                                      void *to, size_t n, int type, int op)
{
    int (*f)(const void *, void *, size_t, int, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclAllReduce", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclAllReduce",
                          f(from, to, n, type, op, comm, call->stream));
}

/* Each rank gets n elements of that: piece `rank` of world * n. */
static inline int osw_nccl_reduce_scatter(const osw_call *call,
                                          const void *from, void *to, size_t n,
                                          int type, int op)
{
    int (*f)(const void *, void *, size_t, int, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclReduceScatter", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclReduceScatter",
                          f(from, to, n, type, op, comm, call->stream));
}

/* n elements of each rank, one after the other, to all. */
static inline int osw_nccl_all_gather(const osw_call *call, const void *from,
                                      void *to, size_t n, int type)
{
    int (*f)(const void *, void *, size_t, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclAllGather", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclAllGather",
                          f(from, to, n, type, comm, call->stream));
}

/* n elements of rank `root` to all. */
static inline int osw_nccl_broadcast(const osw_call *call, const void *from,
                                     void *to, size_t n, int type, int root)
{
    int (*f)(const void *, void *, size_t, int, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclBroadcast", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclBroadcast",
                          f(from, to, n, type, root, comm, call->stream));
}

/* Between group_start and group_end any number are under way at a time. */
static inline int osw_nccl_send(const osw_call *call, const void *from,
                                size_t n, int type, int rank)
{
    int (*f)(const void *, size_t, int, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclSend", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclSend",
                          f(from, n, type, rank, comm, call->stream));
}

static inline int osw_nccl_recv(const osw_call *call, void *to, size_t n,
                                int type, int rank)
{
    int (*f)(void *, size_t, int, int, void *, void *);
    void *comm;

    if (osw_nccl_find(call, "ncclRecv", &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, "ncclRecv",
                          f(to, n, type, rank, comm, call->stream));
}

static inline int osw_nccl_group(const osw_call *call, const char *name)
{
    int (*f)(void);
    void *comm;

    if (osw_nccl_find(call, name, &f, &comm))
        return OSW_ERROR;
    return osw_nccl_check(call, name, f());
}

static inline int osw_nccl_group_start(const osw_call *call)
{
    return osw_nccl_group(call, "ncclGroupStart");
}

static inline int osw_nccl_group_end(const osw_call *call)
{
    return osw_nccl_group(call, "ncclGroupEnd");
}

#ifdef __cplusplus
}
#endif

#endif /* OPSWEEP_NCCL_H */
