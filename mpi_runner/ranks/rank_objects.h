/* mpi_runner/ranks/rank_objects.h - compiled code of a worker rank, by way of
 * the coordinator
 *
 * Where a campaign has workers on several nodes, code reaches a node once, over
 * MPI, and its workers load it from a folder of the node (node_store.h).
 *
 * Upstream: worker_loop.c, rank_bundles.c (the judge's config).
 */
#ifndef OSW_MPI_RUNNER_RANK_OBJECTS_H
#define OSW_MPI_RUNNER_RANK_OBJECTS_H

#include <stdbool.h>

#include "mpi_runner/transport/msg.h"
#include "ops/build/build_share.h"

struct osw_rank;
typedef struct osw_rank_objects osw_rank_objects_t;

/* Do n_workers workers, n_local of them on this node, gain by it? */
bool osw_rank_objects_help(int n_local, int n_workers);

/* Begin; `tick` (with the rank) sends what waits.  NULL: every process builds
 * for itself; the log says why, if it would have helped.
 */
osw_rank_objects_t *osw_rank_objects_open(struct osw_rank *l,
                                          const struct osw_msg_campaign *c,
                                          void (*tick)(void *arg));
void osw_rank_objects_close(osw_rank_objects_t *o); /* NULL is ignored */

/* Another campaign of a series begins: what was kept for the one before does
 * not count.  What osw_rank_objects_share() returned stays valid.  false:
 * nothing can be kept, close it.  NULL is ignored.
 */
bool osw_rank_objects_renew(osw_rank_objects_t *o,
                            const struct osw_msg_campaign *c) OSW_MUST_CHECK;

/* What a build is told; NULL for NULL. */
const struct osw_build_share *
osw_rank_objects_share(const osw_rank_objects_t *o);

/* A message of the coordinator's came. */
void osw_rank_objects_take(osw_rank_objects_t *o,
                           const struct osw_msg_object *m);

#endif /* OSW_MPI_RUNNER_RANK_OBJECTS_H */
