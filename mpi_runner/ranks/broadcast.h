/* mpi_runner/ranks/broadcast.h - what rank 0 says to all ranks outside of a
 * campaign's run
 *
 * Before it has planned, and after it has written its file, rank 0 keeps no
 * account of its workers.  While it does these things a thread says that it is
 * alive.
 *
 * Upstream: cmd_run.c.
 */
#ifndef OSW_MPI_RUNNER_BROADCAST_H
#define OSW_MPI_RUNNER_BROADCAST_H

#include <stdbool.h>

#include "mpi_runner/transport/msg.h"
#include "mpi_runner/transport/transport.h"

/* Send it to every rank that can be reached.  A rank whose queue is full is
 * tried again for patience_ns.  Returns how many did not get it.
 */
int osw_broadcast(struct osw_transport *transport, const struct osw_msg *m,
                  int64_t patience_ns);

/* Workers make themselves ready while rank 0 plans: the campaign, without
 * bundles.
 */
void osw_broadcast_campaign(struct osw_transport *transport,
                            const struct osw_msg_campaign *campaign);

/* The campaign is over, and its file is written: workers end. */
void osw_broadcast_end(struct osw_transport *transport);

typedef struct osw_keeper osw_keeper_t;

/* Begin to send every rank a heartbeat every period_ns (transport NULL: none),
 * and to call `also`, if that is not NULL.  From here to osw_keeper_stop() the
 * transport is the thread's: the caller must not touch it.  Returns NULL with
 * err set when there is no thread.
 */
osw_keeper_t *osw_keeper_start(struct osw_transport *transport,
                               int64_t period_ns, void (*also)(void *arg),
                               void *arg, struct osw_error *err);

/* End it; *keeper is NULL then.  Waits for a round of heartbeats at most. */
void osw_keeper_stop(osw_keeper_t **keeper);

#endif /* OSW_MPI_RUNNER_BROADCAST_H */
