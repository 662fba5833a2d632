/* mpi_runner/campaign/expand.c - let planning run generators that are code */
#include "mpi_runner/campaign/expand.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "common/paths.h"
#include "ops/cases/gen_input.h"
#include "worker/expand.h"

/* Imports may take long, and values are generated for all cases.  The deadline
 * is DEADLINE_S, or DEADLINE_FACTOR times the deadline of a call.
 */
#define DEADLINE_S 120.0
enum { DEADLINE_FACTOR = 10, MAX_SHARES = 8 };

/* What was said before, in this process: planning may ask twice. */
struct said {
    struct said *next;
    uint64_t seed;
    char *path, *asked;
    char *text; /* lines, or why there are none */
    size_t n;
    bool failed;
};
static struct said *all_said;

static const struct said *find_said(const char *path, const char *asked,
                                    uint64_t seed)
{
    for (const struct said *s = all_said; s; s = s->next)
        if (s->seed == seed && strcmp(s->path, path) == 0 &&
            strcmp(s->asked, asked) == 0)
            return s;
    return NULL;
}

static void keep_said(const char *path, const char *asked, uint64_t seed,
                      const char *text, size_t n, bool failed)
{
    struct said *s = calloc(1, sizeof(*s));

    if (!s)
        return;
    *s = (struct said){.next = all_said,
                       .seed = seed,
                       .path = strdup(path),
                       .asked = strdup(asked),
                       .text = malloc(n + 1),
                       .n = n,
                       .failed = failed};
    if (!s->path || !s->asked || !s->text) {
        free(s->path);
        free(s->asked);
        free(s->text);
        free(s);
        return;
    }
    memcpy(s->text, text, n);
    s->text[n] = '\0';
    all_said = s;
}

/* Each share imports everything again, so more shares would not be faster. */
static size_t count_shares(void)
{
    cpu_set_t cores;
    int n = sched_getaffinity(0, sizeof(cores), &cores) == 0 ? CPU_COUNT(&cores)
                                                             : 1;

    return n > MAX_SHARES ? MAX_SHARES : (size_t)n;
}

static int run(void *arg, osw_arena_t *arena, const char *path,
               const char *asked, bool divisible, const char **lines, size_t *n,
               struct osw_error *err)
{
    struct osw_expand_config *config = arg;
    size_t n_shares = divisible ? count_shares() : 0;
    const struct said *said = find_said(path, asked, config->seed);

    if (said && said->failed)
        return osw_fail(err, OSW_BAD_INPUT, "%s", said->text);
    if (said) {
        *lines = said->text;
        *n = said->n;
        return 0;
    }
    config->sandbox_path = osw_paths_sandbox(err);
    if (!config->sandbox_path)
        return -1;
    if (osw_expand_run(config, arena, path, asked, n_shares, lines, n, err) <
        0) {
        if (err->status == OSW_BAD_INPUT)
            keep_said(path, asked, config->seed, err->text, strlen(err->text),
                      true);
        return -1;
    }
    keep_said(path, asked, config->seed, *lines, *n, false);
    return 0;
}

void osw_expand_enable(const struct osw_campaign *campaign)
{
    static struct osw_expand_config config;
    double s = campaign->timeout_s > 0 ? DEADLINE_FACTOR * campaign->timeout_s
                                       : DEADLINE_S;

    config = (struct osw_expand_config){
        .python = campaign->python,
        .seed = campaign->seed,
        .deadline_ns = (int64_t)(s * 1e9),
        .max_rss = campaign->max_rss,
    };
    osw_gen_input_set_runner(run, &config);
}
