/* mpi_runner/campaign/campaign_dump.h - a campaign as JSON
 *
 * Upstream: commands, and result files that keep it.
 */
#ifndef OSW_MPI_RUNNER_CAMPAIGN_DUMP_H
#define OSW_MPI_RUNNER_CAMPAIGN_DUMP_H

#include "mpi_runner/campaign/campaign.h"

/* Append the canonical JSON: every field, sorted by name, one line.  Read
 * back by osw_campaign_read() it gives the same campaign.
 */
void osw_campaign_dump(const struct osw_campaign *c, struct osw_text *out);

#endif /* OSW_MPI_RUNNER_CAMPAIGN_DUMP_H */
