/* mpi_runner/commands/generate_opts.h - the options of `opsweep generate`, and
 * of `opsweep run --backend llm`
 *
 * Upstream: cmd_generate.c.
 */
#ifndef OSW_MPI_RUNNER_GENERATE_OPTS_H
#define OSW_MPI_RUNNER_GENERATE_OPTS_H

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/generate/ask/asked.h"
#include "mpi_runner/generate/lang.h"

struct osw_generate_opts {
    struct osw_campaign_opts campaign; /* first: its table is ours too */
    const char *api, *url, *model, *command, *replay, *key_env, *price,
        *templates;
    const char *folder, *run_id, *resume;
    int lang, search;
    uint64_t attempts, width, concurrency, max_tokens;
    double max_cost, holdout, request_timeout;
    bool send_output, no_sanitizer, no_profiler, unisolated_tools, dry_run,
        force;
};

extern const struct osw_generate_opts osw_generate_defaults;
extern const struct osw_opt osw_generate_optv[];

/* Check what does not depend on ops: the options themselves, the environment.
 * Returns 0, or -1 with err set to OSW_BAD_INPUT.
 */
int osw_generate_opts_check(const struct osw_generate_opts *opts,
                            const struct osw_args *args,
                            struct osw_error *err) OSW_MUST_CHECK;
int osw_generate_opts_check_lang(const struct osw_lang *lang,
                                 const char *device,
                                 struct osw_error *err) OSW_MUST_CHECK;

/* The object "generate" of the campaign's JSON, if it has one: options by name,
 * with _ for -; those of the command line win.  Texts are in the arena.
 * Returns 0, or -1 with err set.
 */
int osw_generate_opts_read(osw_arena_t *arena, const struct osw_args *args,
                           struct osw_generate_opts *opts,
                           struct osw_error *err) OSW_MUST_CHECK;

/* Keep the options of a run in its folder, and take them from there: what is
 * on the command line wins.  Return 0, or -1 with err set.
 */
int osw_generate_opts_keep(osw_asked_t *asked,
                           const struct osw_generate_opts *opts,
                           const struct osw_campaign *campaign,
                           struct osw_error *err) OSW_MUST_CHECK;
int osw_generate_opts_take(osw_arena_t *arena, const osw_asked_t *asked,
                           const struct osw_args *args,
                           struct osw_generate_opts *opts,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_MPI_RUNNER_GENERATE_OPTS_H */
