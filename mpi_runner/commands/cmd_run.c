/* mpi_runner/commands/cmd_run.c - opsweep run: sweep, judge, and leave a file
 */
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli.h"
#include "common/clock.h"
#include "common/guard.h"
#include "common/log.h"
#include "common/paths.h"
#include "common/version.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/preflight.h"
#include "mpi_runner/campaign/revision.h"
#include "mpi_runner/campaign/sources.h"
#include "mpi_runner/commands/gates.h"
#include "mpi_runner/ranks/coordinator.h"
#include "mpi_runner/ranks/launch.h"
#include "mpi_runner/ranks/resume.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "mpi_runner/transport/neighbour.h"
#include "ops/build/build_cache.h"
#include "results/file/file.h"
#include "results/file/run.h"
#include "results/file/run_place.h"
#include "results/report/report_headlines.h"
#include "worker/isolation.h"

struct run_opts {
    struct osw_campaign_opts campaign; /* first: OSW_CAMPAIGN_OPTV */
    const char *fail_on;
    const char *resume;
    bool retry_lost;
    bool force;
    double beat_s, silence_s, grace_s, prove_s;
};

static const struct run_opts run_defaults = {
    .campaign = OSW_CAMPAIGN_DEFAULTS,
    .fail_on = "fail,error",
    .beat_s = 1,
    .silence_s = 30,
    .grace_s = 20,
    .prove_s = 10,
};

#define AT(field) offsetof(struct run_opts, field)
/* clang-format off */
static const struct osw_opt run_optv[] = {
    OSW_CAMPAIGN_OPTV,
    { "force", OSW_OPT_FLAG, AT(force),
      "replace a result file that is there [no]", .letter = 'f' },
    { "resume", OSW_OPT_STR, AT(resume),
      "go on with the run of that result file, and judge what is missing",
      .value = "FILE" },
    { "retry-lost", OSW_OPT_FLAG, AT(retry_lost),
      "with --resume: judge lost cells once more [no]" },
    { "fail-on", OSW_OPT_STR, AT(fail_on),
      "groups of states that make the exit code 1, or none",
      .value = "A,B" },
    { "beat", OSW_OPT_F64, AT(beat_s),
      "seconds between signs of life of a rank", .value = "S" },
    { "silence", OSW_OPT_F64, AT(silence_s),
      "seconds without any after which a rank is lost", .value = "S" },
    { "grace", OSW_OPT_F64, AT(grace_s),
      "seconds for cells in work once asked to stop", .value = "S" },
    { "prove", OSW_OPT_F64, AT(prove_s),
      "try each device this often, in seconds; 0: never", .value = "S" },
    { 0 },
};
/* clang-format on */
#undef AT

enum { STARTS_IN_SILENCES = 10 }; /* MPI's start, in times --silence */

/* What one rank holds until it ends. */
struct rank {
    osw_arena_t *memory;
    const struct osw_args *args;
    struct run_opts *opts;
    struct osw_transport *transport;
    struct osw_resume past; /* of --resume; zeros without */
    unsigned fail_on;       /* bit g: cells of group g are failures */
    bool leave_at_once;     /* MPI could not be finalized */
    bool lost;              /* some worker was; it is not waited for */
};

/* --- options --- */

/* "none" may stand beside groups; its bit is no group's. */
static const char *group_name(int g)
{
    if (g == OSW_GROUP_COUNT)
        return "none";
    return g < OSW_GROUP_COUNT ? osw_state_group_name((enum osw_state_group)g)
                               : NULL;
}

static int check_seconds(const struct run_opts *o, struct osw_error *err)
{
    if (!(o->beat_s >= 0.01 && o->beat_s <= 3600))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--beat': expected 0.01 to 3600 seconds, "
                        "found %g",
                        o->beat_s);
    if (!(o->silence_s >= 3 * o->beat_s && o->silence_s <= 86400))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--silence': expected at least three times "
                        "--beat (%g), at most 86400 seconds, found %g",
                        o->beat_s, o->silence_s);
    if (!(o->grace_s >= 0 && o->grace_s <= 86400))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--grace': expected 0 to 86400 seconds, found "
                        "%g",
                        o->grace_s);
    if (!(o->prove_s >= 0 && o->prove_s <= 86400))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--prove': expected 0 to 86400 seconds, found "
                        "%g",
                        o->prove_s);
    return 0;
}

/* "opsweep-smoke-20250131T120000.h5" when no name is given. */
static const char *output_path(struct rank *r, const struct osw_campaign *c)
{
    time_t now = time(NULL);
    struct tm utc;
    char date[32];

    if (*c->output)
        return c->output;
    gmtime_r(&now, &utc);
    strftime(date, sizeof(date), "%Y%m%dT%H%M%S", &utc);
    return osw_arena_printf(r->memory, "opsweep-%s-%s.h5", c->suite, date);
}

/* --- what the file says about the run --- */

static const char *command_line(const struct osw_args *args,
                                struct osw_text *out)
{
    for (int i = 0; i < args->argc; i++) {
        const char *word = args->argv[i];
        bool plain =
            *word && strspn(word, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-+=./,:@%") == strlen(word);

        osw_text_add(out, i ? " " : "");
        if (plain) {
            osw_text_add(out, word);
            continue;
        }
        osw_text_add(out, "'");
        for (; *word; word++)
            if (*word == '\'')
                osw_text_add(out, "'\\''");
            else
                osw_text_add_n(out, word, 1);
        osw_text_add(out, "'");
    }
    return osw_text_str(out);
}

static void hex_to_bytes(const char hex[65], uint8_t out[32])
{
    for (int i = 0; i < 32; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        out[i] = (uint8_t)strtoul(pair, NULL, 16);
    }
}

/* The campaign file's bytes; "" without one. */
static int add_file(const char *path, struct osw_text *out,
                    struct osw_error *err)
{
    FILE *f = fopen(path, "r");
    char buf[4096];
    size_t n;

    if (!f)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s'", path);
    while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
        osw_text_add_n(out, buf, n);
    fclose(f);
    return 0;
}

/* Go on with what is there: where the plan is still the run's. */
static osw_run_t *open_run(struct rank *r, const struct osw_plan *plan,
                           struct osw_error *err)
{
    struct osw_text line = OSW_TEXT_INIT;
    struct osw_run_info info = {
        .command_line = command_line(r->args, &line),
        .mpi_size = (uint32_t)r->transport->size,
    };
    osw_run_t *run = NULL;

    if (osw_resume_check(r->memory, &r->past, plan, err) == 0)
        run =
            osw_run_open(r->opts->resume, r->past.replay->tail_seq, &info, err);
    osw_text_free(&line);
    return run;
}

static osw_run_t *create_run(struct rank *r, const char *path,
                             const struct osw_campaign *c,
                             const struct osw_plan *plan, struct osw_error *err)
{
    struct osw_text line = OSW_TEXT_INIT, json = OSW_TEXT_INIT;
    struct osw_text resolved = OSW_TEXT_INIT;
    osw_run_t *run = NULL;
    uint8_t digest[32];
    struct osw_run_info info = {
        .campaign_path = r->args->n_operands ? r->args->operands[0] : "",
        .hostname = r->transport->host,
        .tool_version = OSW_VERSION,
        .profile = c->profile,
        .seed = c->seed,
        .n_planned = plan->n_cells,
        .mpi_size = (uint32_t)r->transport->size,
        .t_start_ns = osw_clock_unix_ns(),
        .plan_sha256 = digest,
    };

    osw_revision_export(plan);
    info.env = (const char *const *)environ;
    if (osw_sources_load(r->memory, plan, &info.sources, &info.n_sources, err) <
        0)
        return NULL;
    hex_to_bytes(plan->digest, digest);
    osw_campaign_dump(c, &resolved);
    info.command_line = command_line(r->args, &line);
    info.campaign_resolved = osw_text_str(&resolved);
    if (!*info.campaign_path || add_file(info.campaign_path, &json, err) == 0) {
        info.campaign_json = osw_text_str(&json);
        run = osw_run_create(path, &info, r->opts->force, err);
    }
    osw_text_free(&line);
    osw_text_free(&json);
    osw_text_free(&resolved);
    return run;
}

/* --- what people see --- */

static void add_states(struct osw_text *t, const struct osw_totals *totals,
                       enum osw_state_group group)
{
    const char *sep = " (";

    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++) {
        enum osw_state s = osw_state_at(i);

        if (osw_state_group(s) != group || totals->n_state[s] == 0)
            continue;
        osw_text_printf(t, "%s%" PRIu64 " %s", sep, totals->n_state[s],
                        osw_state_name(s));
        sep = ", ";
    }
    osw_text_add(t, ")");
}

/* "FILE: 12 cells, 10 pass, 2 fail (2 value)" */
static void print_totals(const char *path, const struct osw_outcome *o)
{
    struct osw_text t = OSW_TEXT_INIT;

    for (int g = 0; g < OSW_GROUP_COUNT; g++) {
        if (o->totals.n_group[g] == 0)
            continue;
        osw_text_printf(&t, ", %" PRIu64 " %s", o->totals.n_group[g],
                        osw_state_group_name((enum osw_state_group)g));
        if (g != OSW_GROUP_PASS)
            add_states(&t, &o->totals, (enum osw_state_group)g);
    }
    if (o->n_open)
        osw_text_printf(&t, ", %" PRIu64 " not run", o->n_open);
    printf("%s: %" PRIu64 " cells%s", path, o->totals.n_planned,
           t.failed ? "" : osw_text_str(&t));
    osw_text_free(&t);
}

static void print_outcome(const char *path, const struct osw_outcome *o)
{
    print_totals(path, o);
    printf("; %" PRIu32 " worker%s", o->n_workers,
           o->n_workers == 1 ? "" : "s");
    if (o->n_unfit + o->n_unsound)
        printf(", %" PRIu32 " left out", o->n_unfit + o->n_unsound);
    if (o->n_suspect)
        printf(", %" PRIu64 " results suspect", o->n_suspect);
    printf(", %.1f s\n", (double)o->wall_ns * 1e-9);
    if (o->n_open)
        printf("opsweep run --resume %s goes on from there\n", path);
    else if (o->totals.n_state[OSW_STATE_LOST])
        printf("opsweep run --resume %s --retry-lost judges what is lost once "
               "more\n",
               path);
    osw_report_last_lines(path,
                          o->totals.n_group[OSW_GROUP_FAIL] +
                                  o->totals.n_group[OSW_GROUP_ERROR] >
                              0,
                          stdout);
    fflush(stdout);
}

static int count_states(const osw_file_t *file, struct osw_outcome *o,
                        struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    uint8_t *states = malloc(n + 1);
    int rc = -1;

    if (!states)
        osw_fail(err, OSW_NO_MEMORY, "no memory for %" PRIu64 " cells", n);
    else
        rc = osw_file_column(file, "status_id", OSW_COLUMN_u8, states, err);
    for (uint64_t i = 0; rc == 0 && i < n; i++) {
        if (!osw_state_known(states[i]))
            continue;
        o->totals.n_state[states[i]]++;
        o->totals.n_group[osw_state_group((enum osw_state)states[i])]++;
    }
    free(states);
    return rc;
}

/* There is nothing left to do, says a file that anybody may have made. */
static int look_at_finished(void *arg, struct osw_error *err)
{
    struct rank *r = arg;
    osw_file_t *file = osw_file_open(r->opts->resume, err);
    struct osw_outcome o = {.n_open = 0};
    int rc = file ? count_states(file, &o, err) : -1;

    if (rc == 0 && !osw_file_info(file)->complete)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s' is not complete, and its journal '%s.journal' is "
                      "not there",
                      r->opts->resume, r->opts->resume);
    if (rc == 0) {
        o.totals.n_planned = osw_file_info(file)->n_planned;
        o.n_open = o.totals.n_planned - osw_file_info(file)->n_results;
        print_totals(r->opts->resume, &o);
        printf("; finished before, nothing was run\n");
        fflush(stdout);
        rc = osw_outcome_exit_code(&o, r->fail_on);
    }
    osw_file_close(file);
    return rc;
}

/* Returns the exit code or -1. */
static int say_finished(struct rank *r, struct osw_error *err)
{
    return osw_guard_call(look_at_finished, r, err);
}

/* --- rank 0 --- */

static int make_campaign(struct rank *r, uint32_t n_local,
                         struct osw_campaign *c, struct osw_error *err)
{
    if (r->past.replay)
        return osw_resume_campaign(r->memory, &r->past, &r->opts->campaign,
                                   r->args, n_local, c, err);
    return osw_campaign_make(r->memory, &r->opts->campaign, r->args, n_local, c,
                             err);
}

/* What --resume goes on with.  1: the run is finished, and there is nothing to
 * be done; else 0 or -1.
 */
static int load_past(struct rank *r, struct osw_error *err)
{
    if (!r->opts->resume)
        return 0;
    osw_resume_free(&r->past); /* of the launcher's look at it */
    if (osw_resume_load(r->opts->resume, r->opts->retry_lost, &r->past, err) <
        0)
        return -1;
    return r->past.replay ? 0 : 1;
}

/* What of the suite is judged, where that is not all of it, and with what. */
static void say_coverage(const struct osw_cover *cover,
                         const struct osw_plan *plan)
{
    osw_plan_warn(plan);
    for (size_t i = 0; i < cover->kernels.n_notes; i++)
        osw_log(OSW_LOG_INFO, "%s: %s", cover->kernels.notes[i].path,
                cover->kernels.notes[i].text);
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_op *op = plan->bundles[i].op;

        if (!op || (i > 0 && plan->bundles[i - 1].op == op))
            continue;
        for (size_t k = 0; k < op->n_notes; k++)
            if (op->notes[k].lost)
                osw_log(OSW_LOG_WARNING, "%s: %s", op->notes[k].path,
                        op->notes[k].text);
    }
    if (*plan->coverage)
        osw_log(OSW_LOG_INFO, "%s", plan->coverage);
}

static int describe_campaign(const struct rank *r, const struct osw_campaign *c,
                             struct osw_msg_campaign *out,
                             struct osw_error *err)
{
    const char *include_dir = osw_paths_include_dir(err);
    const char *sandbox = include_dir ? osw_paths_sandbox(err) : NULL;

    if (!sandbox)
        return -1;
    *out = (struct osw_msg_campaign){
        .device = c->device,
        .profile = c->profile,
        .n_threads = c->threads,
        .seed = c->seed,
        .max_bytes = c->max_bytes,
        .deadline_ns = (int64_t)(c->timeout_s * 1e9),
        .cold = c->cold,
        .signed_zero = c->signed_zero,
        .share_gpus = c->share_gpus,
        .keep_going = c->keep_going,
        .max_rss = c->max_rss,
        .cache_dir = "",
        .include_dir = include_dir,
        .sandbox_path = sandbox,
        .python = c->python,
        .op_db = *c->opinfo_dtypes != '\0',
        .beat_ns = (int64_t)(r->opts->beat_s * 1e9),
        .silence_ns = (int64_t)(r->opts->silence_s * 1e9),
        .prove_ns = (int64_t)(r->opts->prove_s * 1e9),
        .host = r->transport->host,
        .pid = (uint64_t)getpid(),
        .born = osw_neighbour_born((uint64_t)getpid()),
        .journal = "",
    };
    return 0;
}

/* Workers get ready while the plan is made, and know from then on how long to
 * wait for this rank.
 */
static int announce(const struct rank *r, const struct osw_campaign *c,
                    struct osw_error *err)
{
    struct osw_msg_campaign campaign;

    if (describe_campaign(r, c, &campaign, err) < 0)
        return -1;
    osw_coordinator_announce(r->transport, &campaign);
    return 0;
}

/* No compiler could leave anything anywhere: nobody's fault but this node's.
 * Whether one is needed, workers see.
 */
static int check_cache(const struct osw_plan *plan, struct osw_error *err)
{
    for (size_t i = 0; i < plan->n_bundles; i++) {
        const struct osw_plan_bundle *b = &plan->bundles[i];

        if (b->n_run > 0 && osw_op_is_compiled(b->op))
            return osw_build_cache_check_read(NULL, err);
    }
    return 0;
}

/* What the campaign comes to; its generators are run for it. */
static int make_plan(struct rank *r, uint32_t n_local, struct osw_campaign *c,
                     struct osw_cover *cover, struct osw_plan *plan,
                     struct osw_error *err)
{
    if (make_campaign(r, n_local, c, err) < 0)
        return -1;
    osw_expand_enable(c);
    if (r->transport && announce(r, c, err) < 0)
        return -1;
    return osw_plan_load(r->memory, c, cover, plan, err) < 0
               ? -1
               : check_cache(plan, err);
}

static void close_transport(struct rank *r, bool lost, int exit_code)
{
    r->leave_at_once = r->transport->ops->close(r->transport, lost, exit_code);
    r->transport = NULL;
}

/* Where workers that outlive this rank say so, wherever they are. */
static int name_session(struct rank *r, const osw_run_t *run,
                        struct osw_msg_campaign *out, struct osw_error *err)
{
    char path[PATH_MAX];

    out->session = r->past.begun.n_sessions;
    out->journal = osw_arena_strdup(
        r->memory, realpath(osw_run_journal(run), path) ? path : "");
    return out->journal ? 0 : osw_fail(err, OSW_NO_MEMORY, "no memory");
}

/* What earlier campaigns of this machine say of ops; NULL: nothing is kept.
 * It is only about time: what goes wrong is said, and no more.
 */
static osw_pace_t *open_pace(const struct osw_campaign *c,
                             char path[OSW_BUILD_MAX_PATH])
{
    char where[64], dir[OSW_BUILD_CACHE_MAX_DIR];
    struct osw_error err = OSW_ERROR_INIT;
    osw_pace_t *pace = NULL;

    snprintf(where, sizeof(where), "%.30s %.30s", c->device, c->profile);
    if (osw_build_cache_open(NULL, dir, &err) == 0) {
        osw_build_cache_path(dir, "pace", "txt", path);
        pace = osw_pace_create(where);
    }
    if (pace && osw_pace_load(pace, path, &err) < 0)
        osw_log(OSW_LOG_WARNING, "%s; it is made anew", err.text);
    return pace;
}

static void close_pace(osw_pace_t *pace, const char *path)
{
    struct osw_error err = OSW_ERROR_INIT;

    if (pace && osw_pace_save(pace, path, &err) < 0) /* others' cache, maybe */
        osw_log(OSW_LOG_DEBUG, "%s", err.text);
    osw_pace_destroy(pace);
}

/* What the coordinator left, as a file.  Returns 0 or -1. */
static int seal(osw_run_t *run, const char *path, bool complete,
                struct osw_error *err)
{
    if (err->status == OSW_OK && osw_run_seal(run, complete, err) == 0)
        return 0;
    osw_error_in(err, "'%s' was not written; what was recorded is in '%s'",
                 path, osw_run_journal(run));
    return -1;
}

/* Run the campaign into a run, and seal.  Returns the exit code or -1. */
static int sweep(struct rank *r, const struct osw_plan *plan,
                 const struct osw_coordinator_config *config, osw_run_t *run,
                 const char *path, struct osw_error *err)
{
    struct osw_outcome outcome;
    int rc;

    rc = osw_coordinator_run(plan, r->transport, config, &osw_sink_run, run,
                             &outcome, err);
    r->lost = outcome.lost;
    if (rc < 0 && err->status == OSW_BAD_INPUT && outcome.n_judged == 0 &&
        !r->past.replay) {
        (void)!osw_run_discard(run, NULL); /* what ended it is in err */
        return -1;
    }
    if (seal(run, path, outcome.n_open == 0, err) < 0)
        return -1;
    print_outcome(path, &outcome);
    if (outcome.n_open && !outcome.n_workers && *outcome.unfit)
        osw_log(OSW_LOG_ERROR, "no worker could judge anything; %s",
                outcome.unfit);
    else if (outcome.n_open && outcome.n_unsound)
        osw_log(OSW_LOG_ERROR, "no worker is left; %s", outcome.unfit);
    return osw_outcome_exit_code(&outcome, r->fail_on);
}

static int coordinate(struct rank *r, const volatile sig_atomic_t *n_stop,
                      struct osw_error *err)
{
    struct osw_coordinator_config config = osw_coordinator_defaults;
    char pace_path[OSW_BUILD_MAX_PATH];
    struct osw_campaign c;
    struct osw_cover cover;
    struct osw_plan plan;
    osw_run_t *run;
    const char *path;
    int code = load_past(r, err);

    if (code != 0)
        return code < 0 ? -1 : say_finished(r, err);
    if (make_plan(r, (uint32_t)r->transport->n_local, &c, &cover, &plan, err) <
            0 ||
        describe_campaign(r, &c, &config.campaign, err) < 0)
        return -1;
    say_coverage(&cover, &plan);
    fputs(plan.words, stdout);
    fflush(stdout);
    config.campaign.n_files = osw_plan_n_files(&plan);
    path = output_path(r, &c);
    if (r->past.replay)
        run = open_run(r, &plan, err);
    else
        run = path ? create_run(r, path, &c, &plan, err) : NULL;
    if (!run)
        return -1;
    if (r->past.replay) {
        config.past = &r->past.past;
        osw_log(OSW_LOG_INFO,
                "resume: %" PRIu64 " of %" PRIu64
                " cells are left, session %" PRIu32,
                r->past.n_left, plan.n_cells, r->past.begun.n_sessions + 1);
    }
    if (name_session(r, run, &config.campaign, err) < 0) {
        osw_run_close(run);
        return -1;
    }
    config.n_stop = n_stop;
    config.drain_ns = (int64_t)(r->opts->grace_s * 1e9);
    config.progress = osw_progress_create(stderr, osw_progress_columns(stderr));
    config.pace = open_pace(&c, pace_path);
    code = sweep(r, &plan, &config, run, path, err);
    osw_preflight_report(&c, &plan);
    close_pace(config.pace, pace_path);
    osw_progress_destroy(config.progress);
    osw_run_close(run);
    return code;
}

/* Everything is saved; now MPI may end, in which it may hang.  Workers that
 * were not lost wait to be told.  Returns rc, or -1 with err set.
 */
static int depart(struct rank *r, int rc, struct osw_error *err)
{
    int code = rc < 0 ? osw_status_exit_code(err->status) : rc;

    if (osw_launch_leave_exit_code(code, err) < 0)
        rc = -1;
    if (!r->lost)
        osw_coordinator_dismiss(r->transport);
    close_transport(r, r->lost, code);
    return rc;
}

/* --- other ranks --- */

/* Nobody waits for what this rank is at.  Its children die with it. */
static void quit_worker(const struct osw_error *why)
{
    if (why->status != OSW_OK)
        osw_log(OSW_LOG_ERROR, "%s", why->text);
    fflush(NULL);
    _exit(osw_status_exit_code(why->status));
}

static int work(struct rank *r, const volatile sig_atomic_t *n_stop,
                struct osw_error *err)
{
    const struct osw_worker_life life = {n_stop, quit_worker};
    bool lost = true;
    int rc =
        osw_worker_loop_run(r->transport, &osw_judge_worker, &life, &lost, err);

    close_transport(r, lost, 0);
    return rc;
}

static void quit_thread(const struct osw_error *why)
{
    if (why->status != OSW_OK)
        osw_log(OSW_LOG_ERROR, "worker: %s", why->text);
    pthread_exit(NULL);
}

static void *worker_thread(void *arg)
{
    struct osw_error err = OSW_ERROR_INIT;
    const struct osw_worker_life life = {NULL, quit_thread};
    struct osw_transport *t = arg;
    bool lost;

    if (osw_worker_loop_run(t, &osw_judge_worker, &life, &lost, &err) < 0)
        osw_log(OSW_LOG_ERROR, "worker: %s", err.text);
    t->ops->close(t, lost, 0);
    return NULL;
}

/* --- both --- */

/* A worker that was sent off in the middle of a bundle gets a moment to clear
 * up.
 */
static void join(struct rank *r, pthread_t worker)
{
    struct timespec until;

    if (!r->lost) {
        pthread_join(worker, NULL);
        return;
    }
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec++;
    (void)!pthread_clockjoin_np(worker, NULL, CLOCK_MONOTONIC, &until);
    r->leave_at_once = true;
}

static volatile sig_atomic_t start_s; /* left for MPI to come up */

/* Every second that this process runs: others are none of MPI's. */
static void on_start_second(int sig)
{
    static const char text[] =
        "opsweep: MPI does not come up: a rank or a node "
        "was lost while it started\n";

    (void)sig;
    if (--start_s > 0) {
        (void)alarm(1);
        return;
    }
    (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(osw_status_exit_code(OSW_INCOMPLETE));
}

/* MPI waits for ever for a rank that dies while all start. */
static int open_transport(struct rank *r, const char *name,
                          struct osw_transport **other, struct osw_error *err)
{
    struct sigaction second = {.sa_handler = on_start_second,
                               .sa_flags = SA_RESTART},
                     before;
    int rc;

    start_s = (sig_atomic_t)(STARTS_IN_SILENCES * r->opts->silence_s) + 1;
    sigaction(SIGALRM, &second, &before);
    alarm(1);
    rc = osw_transport_find(name)->open(&r->transport, other, err);
    alarm(0);
    sigaction(SIGALRM, &before, NULL);
    return rc;
}

/* As one rank of several; or, where the other rank lives in this process too,
 * as both.
 */
static int serve(struct rank *r, const char *transport, struct osw_error *err)
{
    const volatile sig_atomic_t *n_stop = osw_launch_count_stops();
    struct osw_transport *other = NULL;
    pthread_t worker;
    char who[32];
    int rc;

    osw_launch_leave_pid();
    if (open_transport(r, transport, &other, err) < 0)
        return -1;
    if (r->transport->rank != 0) {
        snprintf(who, sizeof(who), "rank %d", r->transport->rank);
        osw_log_set(OSW_LOG_INFO, who);
        return work(r, n_stop, err);
    }
    rc = other ? pthread_create(&worker, NULL, worker_thread, other) : 0;
    if (rc != 0)
        return osw_fail_sys(err, rc, "cannot start a thread");
    rc = depart(r, coordinate(r, n_stop, err), err);
    if (other)
        join(r, worker);
    return rc;
}

/* A launcher that finds a rank gone without MPI's end may end as well, without
 * having read what this rank said last.
 */
static const int64_t last_words_ns = INT64_C(200000000);

/* Leave with the right exit code, whoever reads it. */
static int end(struct rank *r, int rc, struct osw_error *err)
{
    int code = rc < 0 ? osw_status_exit_code(err->status) : rc;

    if (!r->leave_at_once)
        return rc;
    if (rc < 0)
        osw_log(OSW_LOG_ERROR, "%s", err->text);
    fflush(NULL);
    osw_clock_sleep_ns(last_words_ns);
    _exit(code);
}

static const char *environment(const char *name)
{
    return getenv(name);
}

/* Nobody started ranks: how many are wanted?  Also finds what is wrong with
 * the campaign before there are several to say so; a suite that takes seconds
 * to be found is left to them.
 */
static int wanted_ranks(struct rank *r, struct osw_error *err)
{
    struct osw_campaign c;
    struct osw_cover cover;
    struct osw_plan plan;
    bool slow;

    if (make_campaign(r, 0, &c, err) < 0)
        return -1;
    slow = osw_suite_find(c.suite)->slow;
    if (!slow && make_plan(r, 0, &c, &cover, &plan, err) < 0)
        return -1;
    if (r->past.replay) {
        if (!slow && osw_resume_check(r->memory, &r->past, &plan, err) < 0)
            return -1;
    } else if (*c.output &&
               osw_run_place_try(c.output, r->opts->force, err) < 0) {
        return -1;
    }
    if (!slow && osw_preflight_check(&c, &plan, err) < 0)
        return -1;
    return (int)(c.ranks ? c.ranks : osw_launch_default_ranks(c.device));
}

static int run_rank(struct rank *r, struct osw_error *err)
{
    int there = osw_launch_n_ranks(environment, err);
    int past = there == 0 ? load_past(r, err) : 0, wanted;

    if (past != 0)
        return past < 0 ? -1 : say_finished(r, err);
    wanted = there == 0 ? wanted_ranks(r, err) : there;
    if (there < 0 || wanted < 0)
        return -1;
    if (there == 0 && wanted > 1)
        return osw_launch_run((uint32_t)wanted, r->args->argc, r->args->argv,
                              err);
    return end(r, serve(r, there > 1 ? "mpi" : "loop", err), err);
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

static int run_run(void *opts, const struct osw_args *args,
                   struct osw_error *err)
{
    struct rank r = {.opts = opts, .args = args};
    int rc = -1;

    if (osw_args_given(args, "ranks") && r.opts->campaign.ranks == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--ranks': expected 1 or more, found 0");
    if (r.opts->retry_lost && !r.opts->resume)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--retry-lost' needs '--resume FILE'");
    if (r.opts->resume && r.opts->force)
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--resume' and '--force': expected one of "
                        "them");
    if (osw_gates_parse(r.opts->fail_on, group_name,
                        "none or groups of states such as fail,error",
                        &r.fail_on, err) < 0 ||
        check_seconds(r.opts, err) < 0 ||
        check_isolation(getenv("OPSWEEP_ISOLATION"), err) < 0 ||
        check_batch(getenv("OPSWEEP_BATCH"), err) < 0)
        return -1;
    r.memory = osw_arena_create();
    if (!r.memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    rc = run_rank(&r, err);
    osw_resume_free(&r.past);
    osw_arena_destroy(r.memory);
    return rc;
}

const struct osw_cmd osw_cmd_run = {
    .name = "run",
    .operands = "[CAMPAIGN.json]",
    .summary = "judge every implementation on every case, leave one file",
    .details =
        "Outside mpirun and srun it starts mpirun itself, by default with a\n"
        "coordinator and a worker per core, at most four; -n 1 needs no MPI.\n"
        "The first Ctrl-C lets cells in work finish for --grace seconds and\n"
        "writes an incomplete file, the second waits for nobody.\n"
        "CAMPAIGN.json holds options by name, with _ for -: {\"top_by\": "
        "\"size\"};\n"
        "those of the command line win.\n"
        "--resume needs no other option; others are checked against the run,\n"
        "and may say where things lie, or how many ranks there are.\n"
        "Exit codes: 0 ok, 1 cells failed, 2 bad input, 3 nothing was judged,\n"
        "4 incomplete, 5 I/O or internal error.\n",
    .max_operands = 1,
    .opts = run_optv,
    .defaults = &run_defaults,
    .opts_size = sizeof(run_defaults),
    .run = run_run,
};
