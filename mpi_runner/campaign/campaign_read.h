/* mpi_runner/campaign/campaign_read.h - a campaign's JSON as options
 *
 * Upstream: campaign_make.c, commands that repeat a campaign.
 */
#ifndef OSW_MPI_RUNNER_CAMPAIGN_READ_H
#define OSW_MPI_RUNNER_CAMPAIGN_READ_H

#include "mpi_runner/campaign/campaign.h"

/* Each is an option and a key of the JSON; the last one has no name. */
extern const struct osw_opt osw_campaign_fields[];

/* Read a campaign JSON, text[0..n), into opts: those that `args` says were
 * on the command line are kept (args NULL: none).  `source` stands for the
 * file in messages.
 *
 * Returns 0, or -1 with err set and *opts untouched:
 *   OSW_BAD_INPUT  names file and key, and the nearest key that exists
 *   OSW_NO_MEMORY
 */
int osw_campaign_read(osw_arena_t *arena, const char *source, const char *text,
                      size_t n, const struct osw_args *args,
                      struct osw_campaign_opts *opts,
                      struct osw_error *err) OSW_MUST_CHECK;

/* The same of the file that the first operand names, if there is one. */
int osw_campaign_read_file(osw_arena_t *arena, const struct osw_args *args,
                           struct osw_campaign_opts *opts,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_CAMPAIGN_READ_H */
