/* mpi_runner/commands/run_opts.c - the options of `opsweep run` */
#include "mpi_runner/commands/run_opts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/text.h"
#include "mpi_runner/commands/fail_on.h"
#include "ops/build/node_store.h"
#include "ops/record/state.h"
#include "worker/isolation.h"

/* Others lose a rank whose heartbeat is late once or twice. */
static int check_silence(const struct osw_run_opts *o, struct osw_error *err)
{
    if (o->silence_s < 3 * o->heartbeat_s)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--silence': expected at least three times "
                        "--heartbeat (%g), found %g",
                        o->heartbeat_s, o->silence_s);
    return 0;
}

static int check_isolation(const char *word, struct osw_error *err)
{
    if (osw_isolation_level(word) != OSW_N_ISOLATIONS)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "OPSWEEP_ISOLATION '%.40s': expected full, basic or off",
                    word);
}

static int check_batch(const char *word, struct osw_error *err)
{
    if (!word || strcmp(word, "on") == 0 || strcmp(word, "off") == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "OPSWEEP_BATCH '%.40s': expected on or off", word);
}

/* Can the options hold for several campaigns? */
static int check_series(const struct osw_run_opts *o,
                        const struct osw_args *args, struct osw_error *err)
{
    static const char *const one_alone[] = {
        "output", "resume", "resume-if-there", "shard", "metrics-file"};

    if (!o->series)
        return 0;
    if (args->n_operands == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--series' needs the file of the first "
                        "campaign, found none");
    for (size_t i = 0; i < sizeof(one_alone) / sizeof(one_alone[0]); i++)
        if (osw_args_given(args, one_alone[i]))
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--%s' is for one campaign, and "
                            "'--series' for several: expected one of them",
                            one_alone[i]);
    return 0;
}

int osw_run_opts_check(const struct osw_run_opts *o,
                       const struct osw_args *args, uint32_t *fail_on,
                       struct osw_shard *shard, struct osw_error *err)
{
    if (o->retry_lost && !o->resume)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--retry-lost' needs '--resume FILE'");
    if (o->resume && o->force)
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--resume' and '--force': expected one of "
                        "them");
    return osw_shard_parse(o->shard, shard, err) < 0 ||
                   osw_fail_on_states(o->fail_on, fail_on, err) < 0 ||
                   check_silence(o, err) < 0 ||
                   check_series(o, args, err) < 0 ||
                   check_isolation(getenv("OPSWEEP_ISOLATION"), err) < 0 ||
                   check_batch(getenv("OPSWEEP_BATCH"), err) < 0 ||
                   osw_node_store_check(getenv("OPSWEEP_NODE_CACHE"), err) < 0
               ? -1
               : 0;
}

void osw_run_opts_tell_ranks(const struct osw_run_opts *opts,
                             const struct osw_args *args, int n_ranks)
{
    uint64_t wanted = opts->campaign.ranks;

    if (osw_args_given(args, "ranks") && n_ranks > 0 &&
        wanted != (uint64_t)n_ranks)
        osw_log(OSW_LOG_WARNING,
                "option '--ranks %" PRIu64 "' is ignored: the launcher started "
                "%d rank%s",
                wanted, n_ranks, osw_plural((uint64_t)n_ranks));
}
