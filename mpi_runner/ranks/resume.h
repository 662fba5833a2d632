/* mpi_runner/ranks/resume.h - a run that was cut off, and what is left of it to
 * do
 *
 * The campaign is the one that the run began with; what a command line adds
 * may say where things lie and how they are run (see resume.c), not what is
 * run.  Every difference is named: of options, sources, cells.
 *
 * Upstream: cmd_run.c.  Downstream: results/journal/replay.h,
 * results/journal/begun.h; the coordinator takes `past`.
 */
#ifndef OSW_MPI_RUNNER_RESUME_H
#define OSW_MPI_RUNNER_RESUME_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/error.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/shard.h"
#include "mpi_runner/ranks/coordinator_config.h"
#include "results/journal/begun.h"
#include "results/journal/replay.h"

struct osw_resume {
    const char *path;             /* of the result file */
    struct osw_replay *replay;    /* owned; NULL: there is no journal */
    struct osw_begun begun;       /* owned */
    struct osw_past past;         /* states and suspicions are owned */
    uint8_t *states, *suspicions; /* [osw_replay_n_numbers()] */
    uint64_t n_left;              /* cells to be judged */
    uint64_t n_suspects;          /* of them, those that dead workers were at */
};

/* Read the journal beside `path`; it is not changed, nor is its lock taken.
 * Without a journal there must be a file, which is not opened here: a run that
 * is complete leaves no journal.  Where `retry_lost`, cells that ended as
 * `lost` are judged once more, each alone.
 *
 * Returns 0, or -1 with err set: OSW_BAD_INPUT (neither is there, damaged, in
 * use by a process of this host), OSW_SYSTEM, OSW_NO_MEMORY.
 */
int osw_resume_load(const char *path, bool retry_lost, struct osw_resume *out,
                    struct osw_error *err) OSW_MUST_CHECK;
void osw_resume_free(struct osw_resume *resume); /* one of zeros is fine */

/* The campaign to go on with, as osw_campaign_make().  OSW_BAD_INPUT names
 * every option that differs from what was run and must not.
 */
int osw_resume_campaign(osw_arena_t *arena, const struct osw_resume *resume,
                        const struct osw_campaign_opts *opts,
                        const struct osw_args *args, uint32_t n_local,
                        struct osw_campaign *out,
                        struct osw_error *err) OSW_MUST_CHECK;

/* A run goes on as the shard that it was; `option` is what --shard says of it
 * now, NULL if nothing, as parsed in *shard, which becomes the run's.  Returns
 * 0, or -1 with err set: OSW_BAD_INPUT (it was another one).
 */
int osw_resume_shard(const struct osw_resume *resume, const char *option,
                     struct osw_shard *shard,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Of a run that is finished: is it the one that the command line means?  What
 * is given there is compared.  Returns 1, also where `path` is not complete; or
 * -1 with err set: OSW_BAD_INPUT names every option that differs.
 */
int osw_resume_finished(osw_arena_t *arena, const char *path,
                        const struct osw_campaign_opts *opts,
                        const struct osw_args *args, const char *option,
                        struct osw_shard shard,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Is the plan the run's, of the same sources?  OSW_BAD_INPUT when it is not;
 * every difference was logged, err has the first.
 */
int osw_resume_check(osw_arena_t *arena, const struct osw_resume *resume,
                     const struct osw_plan *plan,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_RESUME_H */
