/* mpi_runner/campaign/expand.h - let planning run generators that are code
 *
 * Upstream: list, plan, run, check, before they ask for cases.
 */
#ifndef OSW_MPI_RUNNER_EXPAND_H
#define OSW_MPI_RUNNER_EXPAND_H

#include "mpi_runner/campaign/campaign.h"

/* From now on gen_input.py is run in a sandbox of this node, with the
 * campaign's python, seed and deadline; borrowed until the next call.
 */
void osw_expand_enable(const struct osw_campaign *campaign);

/* End the processes that planning keeps for generators, but the one that
 * imported: it is left for a worker of this process, or the next planning.
 */
void osw_expand_end(void);

/* End that one, too. */
void osw_expand_forget(void);

#endif /* OSW_MPI_RUNNER_EXPAND_H */
