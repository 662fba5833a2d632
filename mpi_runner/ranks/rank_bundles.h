/* mpi_runner/ranks/rank_bundles.h - bundles of a worker rank, judged
 *
 * Upstream: worker_loop.c.
 */
#ifndef OSW_MPI_RUNNER_RANK_BUNDLES_H
#define OSW_MPI_RUNNER_RANK_BUNDLES_H

#include "mpi_runner/ranks/rank.h"

/* Judge no more, for that reason; `unsound`: the device failed. */
void osw_rank_leave(struct osw_rank *l, const char *why, bool unsound);

/* Make the judge that a campaign wants, once. */
void osw_rank_open_judge(struct osw_rank *l, const struct osw_msg_campaign *c);

/* Tell of the judge's device, or why there is no judge. */
void osw_rank_say_ready(struct osw_rank *l);

/* Is the device still sound? */
void osw_rank_prove(struct osw_rank *l);

/* The next bundle, and those after it that go with it.  The cells of two must
 * not have the same numbers: where a bundle came back, its pieces may.
 */
void osw_rank_next_bundles(struct osw_rank *l);

#endif /* OSW_MPI_RUNNER_RANK_BUNDLES_H */
