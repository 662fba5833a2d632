/* mpi_runner/transport/link.h - one peer: what goes out, what came in, is it
 * alive
 *
 * Time is an argument, in nanoseconds of any clock that only grows.
 *
 * Upstream: coordinator.c (one link per worker), worker_loop.c (one).
 */
#ifndef OSW_MPI_RUNNER_LINK_H
#define OSW_MPI_RUNNER_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "mpi_runner/transport/frame.h"
#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"

/* A worker waits so many times longer for a coordinator that says nothing (its
 * disk may be slow) than that for a worker.
 */
enum { OSW_PATIENCE = 3 };

struct osw_link {
    struct osw_transport *transport; /* borrowed */
    int peer;
    struct osw_outbox out;
    struct osw_inbox in;
    int64_t heard_ns; /* when something last came */
    int64_t sent_ns;  /* when something last went */
};

void osw_link_open(struct osw_link *link, struct osw_transport *transport,
                   int peer, int64_t now_ns);
void osw_link_close(struct osw_link *link);

/* Queue a message; see osw_msg_post(). */
int osw_link_post(struct osw_link *link, const struct osw_msg *msg,
                  struct osw_error *err) OSW_MUST_CHECK;

/* Hand full frames to the transport, as many as it takes; `all`: the last,
 * partly filled one too.  Returns 0, or -1 with err set when the peer cannot
 * be reached.
 */
int osw_link_flush(struct osw_link *link, bool all, int64_t now_ns,
                   struct osw_error *err) OSW_MUST_CHECK;

/* This process looked at its peers last so long ago: was it away in between (it
 * was stopped, or waited for a disk)?  Then that time is no silence of a
 * peer's.
 */
bool osw_link_was_away(int64_t gap_ns);
void osw_link_look(struct osw_link *link, int64_t gap_ns);

/* Say something when nothing was said for period_ns. */
int osw_link_heartbeat(struct osw_link *link, uint32_t n_waiting,
                       int64_t period_ns, int64_t now_ns,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_LINK_H */
