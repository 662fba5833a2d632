/* mpi_runner/campaign/campaign_make.h - options to a campaign
 *
 * Upstream: commands.  Downstream: campaign_read.h.
 */
#ifndef OSW_MPI_RUNNER_CAMPAIGN_MAKE_H
#define OSW_MPI_RUNNER_CAMPAIGN_MAKE_H

#include "mpi_runner/campaign/campaign.h"

/* Options, and the campaign JSON if the command line has an operand, to a
 * campaign in which nothing is left open.  n_local: workers on this node,
 * which share its free memory; 0: from the option --ranks.  Reads the JSON,
 * /proc/meminfo and where the program lies.  *out lives in the arena.
 *
 * Returns 0, or -1 with err set and *out untouched:
 *   OSW_BAD_INPUT  names the option, what was found and what is possible
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_campaign_make(osw_arena_t *arena, struct osw_campaign_opts *opts,
                      const struct osw_args *args, uint32_t n_local,
                      struct osw_campaign *out,
                      struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_CAMPAIGN_MAKE_H */
