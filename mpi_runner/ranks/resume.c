/* mpi_runner/ranks/resume.c - a run that was cut off, and what is left of it to
 * do */
#include "mpi_runner/ranks/resume.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/guard.h"
#include "common/log.h"
#include "common/text.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/campaign/sources.h"
#include "results/file/file.h"
#include "results/file/replaces.h"
#include "results/file/run_place.h"
#include "results/journal/journal_verify.h"
#include "results/journal/lock.h"

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

/* Options that may differ from those that the run began with: where things lie
 * (what lies there is compared), and how much of a machine is used how.
 */
static const char *const free_options[] = {
    "library", "custom-ops-root", "kernels-dir", "traces",
    "python",  "ranks",           "threads",     "timeout",
    "output",  "share-gpus",      "history",
};

static const struct osw_opt fields[] = {OSW_CAMPAIGN_OPTV, {0}};

static const size_t field_bytes[] = {
    [OSW_OPT_FLAG] = sizeof(bool),    [OSW_OPT_STR] = sizeof(char *),
    [OSW_OPT_U64] = sizeof(uint64_t), [OSW_OPT_I64] = sizeof(int64_t),
    [OSW_OPT_F64] = sizeof(double),   [OSW_OPT_SIZE] = sizeof(uint64_t),
    [OSW_OPT_CHOICE] = sizeof(int),   [OSW_OPT_LIST] = sizeof(struct osw_list),
};

enum { MAX_NAMED = 20 }; /* differences that are logged */

/* --- what is there --- */

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to resume a run");
}

/* What of the run is settled, and what is suspicious: where cells that were
 * lost are tried again, they are tried alone.
 */
static int make_past(struct osw_resume *r, bool retry_lost,
                     struct osw_error *err)
{
    enum osw_suspicion most =
        retry_lost ? OSW_SUSPICION_ALONE : OSW_SUSPICION_PROVED;
    const struct osw_replay *replay = r->replay;
    uint64_t n_numbers = osw_replay_n_numbers(replay);

    /* A result for every cell would be that large, too. */
    if (n_numbers > OSW_FILE_MAX_ROWS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' says %" PRIu64 " cells are planned, at most %d",
                        replay->dir, n_numbers, OSW_FILE_MAX_ROWS);
    r->states = calloc(n_numbers + 1, 1);
    r->suspicions = calloc(n_numbers + 1, 1);
    if (!r->states || !r->suspicions)
        return no_memory(err);
    for (size_t i = 0; i < r->begun.n; i++) {
        const struct osw_begun_cell *c = &r->begun.cells[i];

        enum osw_suspicion found = osw_begun_suspicion(c);

        if (c->cell < n_numbers)
            r->suspicions[c->cell] = (uint8_t)(found < most ? found : most);
    }
    r->n_left = replay->n_planned;
    for (size_t i = 0; i < replay->n_rows; i++) {
        const struct osw_replay_row *row = &replay->rows[i];
        bool infra =
            osw_state_group((enum osw_state)row->status) == OSW_GROUP_INFRA;

        if (row->cell < n_numbers && retry_lost &&
            row->status == OSW_STATE_LOST && r->suspicions[row->cell])
            r->suspicions[row->cell] = OSW_SUSPICION_ALONE;
        if (row->cell >= n_numbers ||
            (infra && r->suspicions[row->cell] != OSW_SUSPICION_PROVED))
            continue;
        r->states[row->cell] = row->status;
        r->n_left--;
    }
    for (uint64_t cell = 0; cell < n_numbers; cell++)
        r->n_suspects += r->states[cell] == OSW_STATE_NONE &&
                         r->suspicions[cell] != OSW_SUSPICION_NONE;
    r->past = (struct osw_past){.states = r->states,
                                .suspicions = r->suspicions,
                                .died = r->begun.n_died > 0};
    return 0;
}

/* A torn tail is what kill -9 leaves; anything else is told. */
static int look_for_damage(const char *dir, struct osw_error *err)
{
    struct osw_journal_verdict v;

    if (osw_journal_verify(dir, &v, err))
        return -1;
    if (v.state == OSW_JOURNAL_DAMAGED)
        osw_log(OSW_LOG_WARNING,
                "'%s' is damaged at byte %" PRIu64 " of segment %" PRIu32
                ": %s; cells recorded after it are judged again",
                dir, v.offset, v.segment, v.why);
    return 0;
}

/* The file is untrusted. */
static int check_file(void *arg, struct osw_error *err)
{
    const struct osw_resume *r = arg;

    return osw_replaces_same_run(r->path, r->replay, err);
}

static int load_journal(struct osw_resume *r, const char *dir, bool retry_lost,
                        struct osw_error *err)
{
    char who[300];

    switch (osw_lock_look(dir, who, sizeof(who))) {
    case OSW_LOCK_HERE:
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is held by %s: the run is still going on", dir,
                        who);
    case OSW_LOCK_ELSEWHERE:
        osw_log(OSW_LOG_WARNING,
                "'%s' is held by %s: it has %.0f s to show that it is alive",
                dir, who, (double)OSW_LOCK_PATIENCE_NS * 1e-9);
        break;
    case OSW_LOCK_FREE:
        break;
    }
    if (look_for_damage(dir, err))
        return -1;
    r->replay = osw_replay_load(dir, err);
    if (!r->replay || osw_guard_call(check_file, r, err) ||
        osw_begun_load(dir, &r->begun, err))
        return -1;
    return make_past(r, retry_lost, err);
}

int osw_resume_load(const char *path, bool retry_lost, struct osw_resume *out,
                    struct osw_error *err)
{
    struct osw_resume r = {.path = path};
    struct osw_text dir = OSW_TEXT_INIT;
    int rc = -1;

    osw_text_printf(&dir, "%s.journal", path);
    if (dir.failed) {
        no_memory(err);
    } else if (access(osw_text_str(&dir), F_OK) == 0) {
        rc = load_journal(&r, osw_text_str(&dir), retry_lost, err);
    } else if (access(path, F_OK) != 0) {
        if (osw_run_place_linked(path, err) == 0)
            osw_fail(err, OSW_BAD_INPUT,
                     "nothing to resume: there is neither '%s' nor '%s'", path,
                     osw_text_str(&dir));
    } else {
        rc = 0;
    }
    osw_text_free(&dir);
    if (rc)
        osw_resume_free(&r);
    else
        *out = r;
    return rc;
}

void osw_resume_free(struct osw_resume *r)
{
    osw_replay_destroy(r->replay);
    osw_begun_free(&r->begun);
    free(r->states);
    free(r->suspicions);
    *r = (struct osw_resume){.path = NULL};
}

/* --- the campaign --- */

static bool is_free(const char *option)
{
    for (size_t i = 0; i < N_ELEM(free_options); i++)
        if (strcmp(free_options[i], option) == 0)
            return true;
    return false;
}

/* Of an option whose value is 0 where it was not given. */
static const char *value_word(const struct osw_opt *field, const char *value)
{
    return field->nonzero && strcmp(value, "0") == 0 ? "the default" : value;
}

/* Name the difference in one option, if there is one. */
static void compare_option(const struct osw_opt *field,
                           const struct osw_campaign_opts *was,
                           const struct osw_campaign_opts *is,
                           struct osw_text *out)
{
    struct osw_text a = OSW_TEXT_INIT, b = OSW_TEXT_INIT;
    const char *x, *y;

    osw_opt_print(field, was, &a);
    osw_opt_print(field, is, &b);
    x = osw_text_str(&a);
    y = osw_text_str(&b);
    if (!x || !y)
        out->failed = true;
    else if (strcmp(x, y) != 0 && !is_free(field->name))
        osw_text_printf(out, "%soption '--%s': the run has '%s', not '%s'",
                        out->used ? "; " : "", field->name,
                        value_word(field, x), value_word(field, y));
    osw_text_free(&a);
    osw_text_free(&b);
}

static int compare_options(osw_arena_t *arena, const char *path,
                           const struct osw_campaign_opts *was,
                           const struct osw_campaign *c, struct osw_error *err)
{
    struct osw_text json = OSW_TEXT_INIT, differences = OSW_TEXT_INIT;
    struct osw_campaign_opts is = {.suite = NULL};
    int rc = -1;

    osw_campaign_dump(c, &json); /* both in the same words */
    if (json.failed) {
        no_memory(err);
        goto out;
    }
    if (osw_campaign_read(arena, "campaign", osw_text_str(&json), json.used,
                          NULL, &is, err))
        goto out;
    for (size_t i = 0; fields[i].name; i++)
        compare_option(&fields[i], was, &is, &differences);
    if (differences.failed)
        no_memory(err);
    else if (differences.used)
        osw_fail(err, OSW_BAD_INPUT, "'%s' is another campaign: %s", path,
                 osw_text_str(&differences));
    else
        rc = 0;
out:
    osw_text_free(&json);
    osw_text_free(&differences);
    return rc;
}

/* Put the options that a command line gives in the place of the run's.
 * Returns how many there are.
 */
static size_t take_given(const struct osw_campaign_opts *opts,
                         const struct osw_args *args,
                         struct osw_campaign_opts *asked)
{
    size_t n = 0;

    for (size_t i = 0; fields[i].name; i++)
        if (osw_args_given(args, fields[i].name)) {
            memcpy((char *)asked + fields[i].offset,
                   (const char *)opts + fields[i].offset,
                   field_bytes[fields[i].kind]);
            n++;
        }
    return n;
}

static int check_output(const char *path, const struct osw_campaign_opts *opts,
                        struct osw_error *err)
{
    if (opts->output && strcmp(opts->output, path) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--output': the run to resume is '%s', found "
                        "'%s'",
                        path, opts->output);
    return 0;
}

int osw_resume_campaign(osw_arena_t *arena, const struct osw_resume *r,
                        const struct osw_campaign_opts *opts,
                        const struct osw_args *args, uint32_t n_local,
                        struct osw_campaign *out, struct osw_error *err)
{
    const char *json = r->replay->info.campaign_resolved;
    struct osw_campaign_opts was = {.suite = NULL}, asked;
    struct osw_campaign c;

    if (check_output(r->path, opts, err) < 0)
        return -1;
    if (osw_campaign_read(arena, r->replay->dir, json, strlen(json), NULL, &was,
                          err))
        return -1;
    asked = was;
    take_given(opts, args, &asked);
    if (osw_campaign_make(arena, &asked, args, n_local, &c, err) ||
        compare_options(arena, r->path, &was, &c, err) ||
        osw_campaign_check_root(&c, true, err))
        return -1;
    c.output = r->path;
    *out = c;
    return 0;
}

/* Is the shard that the option names the file's, `was`? */
static int compare_shard(const char *path, struct osw_shard was,
                         const char *option, struct osw_shard is,
                         struct osw_error *err)
{
    if (!option || (is.index == was.index && is.n == was.n))
        return 0;
    if (was.n == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--shard': '%s' is a whole campaign, found "
                        "'%s'",
                        path, option);
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--shard': '%s' is shard %" PRIu32 "/%" PRIu32
                    ", found '%s'",
                    path, was.index, was.n, option);
}

int osw_resume_shard(const struct osw_resume *r, const char *option,
                     struct osw_shard *shard, struct osw_error *err)
{
    const struct osw_shard was = {r->replay->info.shard.index,
                                  r->replay->info.shard.n};

    if (compare_shard(r->path, was, option, *shard, err) < 0)
        return -1;
    *shard = was;
    return 0;
}

/* Only what certainly differs is told: a campaign that cannot be made here was
 * finished all the same.
 */
static int compare_finished(osw_arena_t *arena,
                            const struct osw_file_info *info,
                            const struct osw_campaign_opts *opts,
                            const struct osw_args *args, struct osw_error *err)
{
    const char *json = info->campaign_resolved ? info->campaign_resolved : "";
    struct osw_campaign_opts was = {.suite = NULL}, asked;
    struct osw_campaign c;

    if (osw_campaign_read(arena, info->path, json, strlen(json), NULL, &was,
                          NULL))
        return 0;
    asked = was;
    if (take_given(opts, args, &asked) == 0 && args->n_operands == 0)
        return 0;
    if (osw_campaign_make(arena, &asked, args, 0, &c, NULL))
        return 0;
    return compare_options(arena, info->path, &was, &c, err);
}

/* A file that says that nothing is left to do, and what is asked for. */
struct finished {
    osw_arena_t *arena;
    const char *path;
    const struct osw_campaign_opts *opts;
    const struct osw_args *args;
    const char *option;
    struct osw_shard shard;
};

static int look_at_finished(void *arg, struct osw_error *err)
{
    const struct finished *f = arg;
    osw_file_t *file = osw_file_open(f->path, err);
    const struct osw_file_info *info = file ? osw_file_info(file) : NULL;
    int rc = -1;

    if (info && !info->complete)
        rc = 1; /* what is missing is told later */
    else if (info &&
             compare_shard(f->path,
                           (struct osw_shard){info->shard.index, info->shard.n},
                           f->option, f->shard, err) == 0 &&
             compare_finished(f->arena, info, f->opts, f->args, err) == 0)
        rc = 1;
    osw_file_close(file);
    return rc;
}

int osw_resume_finished(osw_arena_t *arena, const char *path,
                        const struct osw_campaign_opts *opts,
                        const struct osw_args *args, const char *option,
                        struct osw_shard shard, struct osw_error *err)
{
    struct finished f = {arena, path, opts, args, option, shard};

    if (check_output(path, opts, err) < 0)
        return -1;
    return osw_guard_call(look_at_finished, &f, err); /* it is untrusted */
}

/* --- the plan --- */

/* Differences are logged as they are found, and counted. */
struct finding {
    const struct osw_resume *resume;
    size_t n;
    struct osw_error *err;
};

static void differs(struct finding *f, const char *text)
{
    osw_fail(f->err, OSW_BAD_INPUT, "'%s' cannot go on: %s", f->resume->path,
             text); /* the first one stays */
    if (f->n++ < MAX_NAMED)
        osw_log(OSW_LOG_ERROR, "%s", text);
}

static const struct osw_run_source *
find_source(const struct osw_run_source *sources, size_t n,
            const struct osw_run_source *like)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(sources[i].file, like->file) == 0 &&
            strcmp(sources[i].op, like->op) == 0)
            return &sources[i];
    return NULL;
}

static bool is_known(const struct osw_run_source *source)
{
    static const uint8_t zeros[32];

    return memcmp(source->sha256, zeros, 32) != 0;
}

static void compare_sources(struct finding *f, const struct osw_run_source *now,
                            size_t n_now)
{
    const struct osw_replay *r = f->resume->replay;
    char text[600];

    for (size_t i = 0; i < r->n_sources; i++) {
        const struct osw_run_source *was = &r->sources[i];
        const struct osw_run_source *is = find_source(now, n_now, was);

        if (is && is_known(is) && is_known(was) &&
            memcmp(is->sha256, was->sha256, 32) != 0)
            snprintf(text, sizeof(text),
                     "op '%s': %s changed since the run began: SHA-256 was "
                     "%02x%02x%02x%02x..., is %02x%02x%02x%02x...",
                     was->op, was->file, was->sha256[0], was->sha256[1],
                     was->sha256[2], was->sha256[3], is->sha256[0],
                     is->sha256[1], is->sha256[2], is->sha256[3]);
        else if (!is)
            snprintf(text, sizeof(text),
                     "op '%s': %s was there when the run began, and is not now",
                     was->op, was->file);
        else
            continue;
        differs(f, text);
    }
    for (size_t i = 0; r->n_sources && i < n_now; i++) {
        if (find_source(r->sources, r->n_sources, &now[i]))
            continue;
        snprintf(text, sizeof(text),
                 "op '%s': %s was not there when the run began", now[i].op,
                 now[i].file);
        differs(f, text);
    }
}

static void compare_cells(struct finding *f, const struct osw_plan *plan)
{
    const struct osw_replay *r = f->resume->replay;
    char text[200];

    if (r->n_planned != plan->n_cells) {
        snprintf(text, sizeof(text),
                 "the run has %" PRIu64 " cell%s, the plan is now %" PRIu64,
                 r->n_planned, osw_plural(r->n_planned), plan->n_cells);
        differs(f, text);
    } else if (f->n == 0) {
        snprintf(
            text, sizeof(text),
            "the plan is not the run's, whose opsweep was %s: cells, their "
            "order, costs or limits differ",
            r->info.tool_version);
        differs(f, text);
    }
}

static void hex(const uint8_t sha[32], char out[65])
{
    for (int i = 0; i < 32; i++)
        snprintf(out + 2 * i, 3, "%02x", sha[i]);
}

int osw_resume_check(osw_arena_t *arena, const struct osw_resume *r,
                     const struct osw_plan *plan, struct osw_error *err)
{
    struct finding f = {.resume = r, .err = err};
    const struct osw_run_source *now;
    char was[65];
    size_t n;

    if (osw_sources_load(arena, plan, &now, &n, err))
        return -1;
    compare_sources(&f, now, n);
    hex(r->replay->plan_sha256, was);
    if (strcmp(was, plan->digest) != 0)
        compare_cells(&f, plan);
    else if (memcmp(r->replay->info.shard.sha256, plan->shard.sha256, 32) != 0)
        differs(&f, "the campaign is split in another way: predicted costs "
                    "changed; expected the run's --history and its files");
    if (f.n > MAX_NAMED)
        osw_log(OSW_LOG_ERROR, "and %zu differences more", f.n - MAX_NAMED);
    return f.n ? -1 : 0;
}
