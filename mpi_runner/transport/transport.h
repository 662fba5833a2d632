/* mpi_runner/transport/transport.h - frames from rank to rank, as a vtable
 *
 * Nothing here blocks but wait(), which sleeps for at most as long as it is
 * told.  No call reports a dead peer, because MPI does not: callers use
 * heartbeats.  Frames between two ranks arrive in order, or not at all.
 *
 * Upstream: coordinator.c and worker_loop.c.  transport_mpi.c is the only file
 * that includes mpi.h; transport_loop.c joins two threads of one process.
 */
#ifndef OSW_MPI_RUNNER_TRANSPORT_H
#define OSW_MPI_RUNNER_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/frame.h"

struct osw_transport;

struct osw_transport_ops {
    const char *name; /* "mpi", "loop" */

    /* Queue one frame of n bytes (1..OSW_FRAME_MAX); copied.  Returns 1, 0
     * when the queue to that peer is full (try later), or -1 with err set:
     * the peer cannot be reached any more.
     */
    int (*send)(struct osw_transport *t, int peer, const void *frame, size_t n,
                struct osw_error *err);

    /* Take a frame that arrived: 1 with *peer and *n set, 0 when there is
     * none; or -1 with err and *peer set: that peer is broken.
     */
    int (*poll)(struct osw_transport *t, int *peer,
                unsigned char frame[OSW_FRAME_MAX], size_t *n,
                struct osw_error *err);

    /* After an empty poll: give way, at first for an instant, then longer, so
     * that an idle rank costs no core.  At most max_ns, and at most 1 ms.
     */
    void (*wait)(struct osw_transport *t, int64_t max_ns);

    /* The peer is lost: what is queued for it will never be waited for, and
     * nothing more can be sent to it.
     */
    void (*forget)(struct osw_transport *t, int peer);

    /* It was forgotten and speaks again: it can be sent to.  What was queued
     * for it then comes first.
     */
    void (*remember)(struct osw_transport *t, int peer);

    /* Deliver what is queued, end, and free t.  `lost`: some rank was, so MPI
     * must not be finalized.  Blocks for some seconds at most; should the
     * end itself hang, the process exits by exit_code.  Returns true when the
     * caller must leave by _exit().
     */
    bool (*close)(struct osw_transport *t, bool lost, int exit_code);
};

/* Base of every transport, embedded first. */
struct osw_transport {
    const struct osw_transport_ops *ops;
    int rank, size;
    int local_index; /* among the workers of this node, from 0; else -1 */
    int n_local;     /* workers on this node */
    char host[256];
    int root_fd; /* watches rank 0's process, see neighbour.h; owned; or -1 */
};

/* A row of the table.  open() makes this process's end; where the other rank
 * lives in this process too, *other is its end, else NULL.  Each end is owned
 * by the caller, used by one thread at a time, and ended by close().
 */
struct osw_transport_row {
    const char *name;
    int (*open)(struct osw_transport **mine, struct osw_transport **other,
                struct osw_error *err);
};

/* NULL when there is none of that name. */
const struct osw_transport_row *osw_transport_find(const char *name);

/* Rank 0 and rank 1, for two threads. */
int osw_transport_open_loop(struct osw_transport **mine,
                            struct osw_transport **other,
                            struct osw_error *err) OSW_MUST_CHECK;

/* This process's rank of an MPI job.  Blocks until all ranks are there; after
 * that nothing is collective any more.
 */
int osw_transport_open_mpi(struct osw_transport **mine,
                           struct osw_transport **other,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_TRANSPORT_H */
