/* mpi_runner/commands/run_opts.h - the options of `opsweep run`
 *
 * `opsweep submit` takes and checks the same, before a job waits in a queue.
 */
#ifndef OSW_MPI_RUNNER_RUN_OPTS_H
#define OSW_MPI_RUNNER_RUN_OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/shard.h"

/* A command's own struct of options has this one as its first member, and
 * OSW_RUN_OPTV in its table.
 */
struct osw_run_opts {
    struct osw_campaign_opts campaign; /* first: OSW_CAMPAIGN_OPTV */
    const char *fail_on;
    const char *resume;
    const char *shard;
    const char *metrics_file;
    bool resume_if_there;
    bool retry_lost;
    bool force;
    bool no_twins;
    bool series;
    double heartbeat_s, silence_s, grace_s, prove_s;
};

#define OSW_RUN_MAX_S 86400 /* a day */

#define OSW_RUN_AT(field) offsetof(struct osw_run_opts, field)

/* clang-format off */
#define OSW_RUN_OPTV                                                           \
    OSW_CAMPAIGN_OPTV,                                                         \
    { "force", OSW_OPT_FLAG, OSW_RUN_AT(force),                                \
      "replace a result file that is there [no]", .letter = 'f' },             \
    { "resume", OSW_OPT_STR, OSW_RUN_AT(resume),                               \
      "go on with the run of that result file, and judge what is missing",     \
      .value = "FILE" },                                                       \
    { "resume-if-there", OSW_OPT_FLAG, OSW_RUN_AT(resume_if_there),            \
      "go on with the run of the file that would be written, if there is one " \
      "[no]", .expert = true },                                                \
    { "shard", OSW_OPT_STR, OSW_RUN_AT(shard),                                 \
      "judge part I of N of the campaign; opsweep merge joins the files",      \
      .value = "I/N" },                                                        \
    { "retry-lost", OSW_OPT_FLAG, OSW_RUN_AT(retry_lost),                      \
      "with --resume: judge lost cells once more [no]" },                      \
    { "fail-on", OSW_OPT_STR, OSW_RUN_AT(fail_on),                             \
      "exit 1 when cells end in these groups (pass, fail, error, not-judged, " \
      "infra) or single states; or none", .value = "A,B" },                    \
    { "series", OSW_OPT_FLAG, OSW_RUN_AT(series),                              \
      "then judge the campaigns that standard input names, a file a line [no]",\
      .expert = true },                                                        \
    { "metrics-file", OSW_OPT_STR, OSW_RUN_AT(metrics_file),                   \
      "keep progress in that file, for Prometheus' node exporter",             \
      .value = "FILE" },                                                       \
    { "heartbeat", OSW_OPT_F64, OSW_RUN_AT(heartbeat_s),                       \
      "seconds between heartbeats of a rank", .value = "S", .low = 0.01,       \
      .high = 3600, .expert = true,                                            \
      .topic = "stopping, and lost ranks" },                                   \
    { "silence", OSW_OPT_F64, OSW_RUN_AT(silence_s),                           \
      "seconds without a heartbeat after which a rank is lost; a third of "    \
      "them while others wait for it, at the end or in a gang", .value = "S",  \
      .high = OSW_RUN_MAX_S, .nonzero = true, .expert = true },                \
    { "no-twins", OSW_OPT_FLAG, OSW_RUN_AT(no_twins),                          \
      "at the end no second rank judges what takes a rank far too long [no]",  \
      .expert = true },                                                        \
    { "grace", OSW_OPT_F64, OSW_RUN_AT(grace_s),                               \
      "seconds that running cells get after a request to stop",                \
      .value = "S", .high = OSW_RUN_MAX_S },                                   \
    { "prove", OSW_OPT_F64, OSW_RUN_AT(prove_s),                               \
      "seconds between health checks of a device; 0: none", .value = "S",      \
      .high = OSW_RUN_MAX_S, .expert = true }

#define OSW_RUN_DEFAULTS                                                       \
    { .campaign = OSW_CAMPAIGN_DEFAULTS, .fail_on = "fail,error",              \
      .heartbeat_s = 1, .silence_s = 30, .grace_s = 20, .prove_s = 10 }
/* clang-format on */

/* Check what does not depend on the campaign: the options themselves, and
 * variables of the environment.  Bit s of *fail_on: cells of state s are
 * failures; *shard: of --shard.  Returns 0, or -1 with err set to
 * OSW_BAD_INPUT.
 */
int osw_run_opts_check(const struct osw_run_opts *opts,
                       const struct osw_args *args, uint32_t *fail_on,
                       struct osw_shard *shard,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Another launcher than opsweep's own decides how many ranks there are: warn
 * where --ranks says otherwise.
 */
void osw_run_opts_tell_ranks(const struct osw_run_opts *opts,
                             const struct osw_args *args, int n_ranks);

#endif /* OSW_MPI_RUNNER_RUN_OPTS_H */
