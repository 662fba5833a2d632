/* mpi_runner/campaign/expand.c - let planning run generators that are code */
#include "mpi_runner/campaign/expand.h"

#include <sched.h>
#include <string.h>

#include "common/paths.h"
#include "mpi_runner/campaign/generated.h"
#include "ops/cases/gen_input.h"
#include "worker/expand.h"

/* Imports may take long, and values are generated for all cases.  The deadline
 * is DEADLINE_S, or DEADLINE_FACTOR times the deadline of a call.
 */
#define DEADLINE_S 120.0
enum { DEADLINE_FACTOR = 10, MAX_SHARES = 8 };

/* Of one generator's cases, each made in a process of its own. */
static size_t count_shares(void)
{
    cpu_set_t cores;
    int n = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores)
                                                             : 1;

    return n > MAX_SHARES ? MAX_SHARES : (size_t)n;
}

/* Of this process: what it runs generators in, from the first one on. */
static osw_expander_t *expander;

static int ask(struct osw_expand_config *config, osw_arena_t *arena,
               struct osw_generated *what, size_t n_shares,
               struct osw_error *err)
{
    if (!config->sandbox_path)
        config->sandbox_path = osw_paths_sandbox(err);
    if (config->sandbox_path && !expander)
        expander = osw_expander_open(config, err);
    return !expander
               ? -1
               : osw_expander_run(expander, arena, what->path, what->asked,
                                  n_shares, &what->text, &what->n, err);
}

static int run(void *arg, osw_arena_t *arena, const char *path,
               const char *asked, bool divisible, const char **lines, size_t *n,
               struct osw_error *err)
{
    struct osw_expand_config *config = arg;
    struct osw_generated what = {path, asked, config->seed, NULL, 0, false};
    const struct osw_generated *before =
        osw_generated_find(path, asked, config->seed);

    if (before && before->failed)
        return osw_fail(err, OSW_BAD_INPUT, "%s", before->text);
    if (before) {
        *lines = before->text;
        *n = before->n;
        return 0;
    }
    what.failed =
        ask(config, arena, &what, divisible ? count_shares() : 0, err) < 0;
    if (what.failed && err->status != OSW_BAD_INPUT)
        return -1;
    if (what.failed) {
        what.text = err->text;
        what.n = strlen(err->text);
    } else {
        *lines = what.text;
        *n = what.n;
    }
    osw_generated_keep(&what);
    return what.failed ? -1 : 0;
}

void osw_expand_end(void)
{
    osw_expander_close(expander);
    expander = NULL;
}

void osw_expand_forget(void)
{
    osw_expand_end();
    osw_expander_end_left();
}

void osw_expand_enable(const struct osw_campaign *campaign)
{
    static struct osw_expand_config config;
    double s = campaign->timeout_s > 0 ? DEADLINE_FACTOR * campaign->timeout_s
                                       : DEADLINE_S;

    osw_expand_end();
    config = (struct osw_expand_config){
        .python = campaign->python,
        .seed = campaign->seed,
        .deadline_ns = (int64_t)(s * 1e9),
        .max_rss = campaign->max_rss,
        .n_threads = campaign->threads,
    };
    osw_gen_input_set_runner(run, &config);
}
