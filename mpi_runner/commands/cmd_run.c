/* mpi_runner/commands/cmd_run.c - opsweep run: sweep, judge, and leave a file
 */
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/log.h"
#include "mpi_runner/campaign/campaign.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/cost_history_cache.h"
#include "mpi_runner/campaign/cost_predict.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/generated.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/preflight.h"
#include "mpi_runner/campaign/shard.h"
#include "mpi_runner/commands/run_form.h"
#include "mpi_runner/commands/run_opts.h"
#include "mpi_runner/commands/run_path.h"
#include "mpi_runner/commands/run_start.h"
#include "mpi_runner/commands/run_summary.h"
#include "mpi_runner/ranks/broadcast.h"
#include "mpi_runner/ranks/coordinator.h"
#include "mpi_runner/ranks/launch.h"
#include "mpi_runner/ranks/launch_note.h"
#include "mpi_runner/ranks/resume.h"
#include "mpi_runner/ranks/series.h"
#include "mpi_runner/ranks/worker_loop.h"
#include "mpi_runner/ranks/worker_thread.h"
#include "mpi_runner/transport/link.h"
#include "mpi_runner/transport/transport_start.h"
#include "ops/build/build_confine.h"
#include "results/file/run.h"
#include "results/file/run_place.h"
#include "worker/device/device.h"

static const struct osw_run_opts run_defaults = OSW_RUN_DEFAULTS;
static const struct osw_opt run_optv[] = {OSW_RUN_OPTV, {0}};

/* What one rank holds until it ends. */
struct rank {
    osw_arena_t *memory;
    osw_arena_t *plan_memory; /* until all is judged */
    const struct osw_args *args;
    struct osw_run_opts *opts;
    struct osw_transport *transport;
    struct osw_shard shard;
    osw_cost_history_t *cost_history; /* of the plan; NULL: not made yet */
    char history_path[OSW_BUILD_MAX_PATH];
    struct osw_resume past; /* of --resume; zeros without */
    uint32_t fail_on;       /* bit s: cells of state s are failures */
    bool leave_at_once;     /* MPI could not be finalized */
    bool judges;            /* the worker is a thread of this process */
    bool lost;              /* some worker was; it is not waited for */
    bool thinned;           /* some worker judges no more */
    osw_keeper_t *keeper;   /* says that this rank is alive; NULL: none does */
};

/* How long ranks wait for a word of rank 0, which may be slow at its start. */
static double patience_s(const struct rank *r)
{
    return fmax(5, OSW_PATIENCE * r->opts->silence_s);
}

/* --- rank 0 --- */

static int make_campaign(struct rank *r, uint32_t n_local,
                         struct osw_campaign *c, struct osw_error *err)
{
    if (osw_preflight_node(err) < 0)
        return -1;
    if (r->past.replay)
        return osw_resume_campaign(r->memory, &r->past, &r->opts->campaign,
                                   r->args, n_local, c, err);
    return osw_campaign_make(r->memory, &r->opts->campaign, r->args, n_local, c,
                             err);
}

/* --resume-if-there is --resume, where there is a run.  With --force a finished
 * file is one that is to be replaced.
 */
static int look_for_past(struct rank *r, struct osw_error *err)
{
    struct osw_campaign c;
    const char *path, *journal;

    if (!r->opts->resume_if_there || r->opts->resume)
        return 0;
    if (make_campaign(r, 0, &c, err) < 0)
        return -1;
    path = osw_run_path(r->memory, &c);
    journal = path ? osw_arena_printf(r->memory, "%s.journal", path) : NULL;
    if (!journal)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a file's name");
    if (access(journal, F_OK) < 0 && (r->opts->force || access(path, F_OK) < 0))
        return 0;
    r->opts->resume = path;
    r->opts->force = false;
    return 0;
}

/* What --resume goes on with.  1: the run is finished, and there is nothing to
 * be done; else 0 or -1.
 */
static int load_past(struct rank *r, struct osw_error *err)
{
    if (look_for_past(r, err) < 0)
        return -1;
    if (!r->opts->resume)
        return 0;
    osw_resume_free(&r->past); /* of the launcher's look at it */
    if (osw_resume_load(r->opts->resume, r->opts->retry_lost, &r->past, err) <
        0)
        return -1;
    if (!r->past.replay)
        return osw_resume_finished(r->memory, r->opts->resume,
                                   &r->opts->campaign, r->args, r->opts->shard,
                                   r->shard, err);
    return osw_resume_shard(&r->past, r->opts->shard, &r->shard, err);
}

/* Until osw_keeper_stop(), workers hear that this rank is alive. */
static void keep_workers(struct rank *r, osw_run_t *run)
{
    struct osw_error err = OSW_ERROR_INIT;

    r->keeper = osw_keeper_start(r->lost ? NULL : r->transport,
                                 (int64_t)(r->opts->heartbeat_s * 1e9),
                                 run ? osw_run_show_alive : NULL, run, &err);
    if (!r->keeper)
        osw_log(OSW_LOG_WARNING, "%s", err.text);
}

/* Workers get ready while the plan is made, and know from then on how long to
 * wait for this rank.
 */
static int announce(struct rank *r, const struct osw_campaign *c,
                    struct osw_error *err)
{
    struct osw_msg_campaign campaign;

    if (osw_run_start_message(r->opts, r->transport, c, &campaign, err) < 0)
        return -1;
    osw_keeper_stop(&r->keeper);
    osw_broadcast_campaign(r->transport, &campaign);
    keep_workers(r, NULL);
    return 0;
}

/* What the campaign comes to; its generators are run for it. */
static int make_plan(struct rank *r, osw_arena_t *memory, uint32_t n_local,
                     struct osw_campaign *c,
                     struct osw_backend_ops *backend_ops, struct osw_plan *plan,
                     struct osw_error *err)
{
    bool here =
        !r->transport || r->transport->n_local == r->transport->size - 1;
    bool optional; /* a shard is split by its history */

    if (make_campaign(r, n_local, c, err) < 0)
        return -1;
    osw_expand_enable(c);
    optional = r->past.replay && r->shard.n == 0;
    if (r->transport && announce(r, c, err) < 0)
        return -1;
    return osw_plan_load(memory, c, backend_ops, plan, err) < 0 ||
                   osw_cost_predict_plan(c, optional, !r->transport, plan,
                                         &r->cost_history, r->history_path,
                                         err) < 0 ||
                   osw_shard_take(c, r->shard, plan, err) < 0
               ? -1
               : osw_preflight_plan(c, plan, here, err);
}

static void close_transport(struct rank *r, bool lost, int exit_code)
{
    r->leave_at_once = r->transport->ops->close(r->transport, lost, exit_code);
    r->transport = NULL;
}

/* What the coordinator left, as a file.  Returns 0 or -1. */
static int seal(struct rank *r, osw_run_t *run, const char *path, bool complete,
                struct osw_error *err)
{
    int rc = -1;

    keep_workers(r, run);
    if (err->status == OSW_OK)
        rc = osw_run_seal(run, complete, err);
    osw_keeper_stop(&r->keeper);
    if (rc == 0)
        return 0;
    osw_error_in(err,
                 "'%s' was not written; what was recorded is in '%s' (--resume "
                 "goes on)",
                 path, osw_run_journal(run));
    return -1;
}

/* Run the campaign into a run.  false: nothing came of it, and nothing is to be
 * sealed.
 */
static bool judge(struct rank *r, const struct osw_plan *plan,
                  const struct osw_coordinator_config *config, osw_run_t *run,
                  struct osw_outcome *outcome, struct osw_error *err)
{
    int rc;

    osw_keeper_stop(&r->keeper);
    rc = osw_coordinator_run(plan, r->transport, config, &osw_sink_run, run,
                             outcome, err);
    r->lost = outcome->lost;
    r->thinned = outcome->n_lost + outcome->n_unfit + outcome->n_unsound > 0;
    if (rc == 0 || err->status != OSW_BAD_INPUT || outcome->n_judged > 0 ||
        r->past.replay)
        return true;
    (void)!osw_run_discard(run, NULL); /* what ended it is in err */
    return false;
}

/* Seal what the coordinator left, and say so.  Returns the exit code or -1. */
static int finish(struct rank *r, const struct osw_outcome *outcome,
                  const struct osw_cost_prediction *prediction, osw_run_t *run,
                  const char *path, struct osw_error *err)
{
    if (seal(r, run, path, outcome->n_open == 0, err) < 0)
        return -1;
    osw_run_summary_print(path, outcome, prediction);
    if (outcome->n_open && !outcome->n_workers && *outcome->unfit)
        osw_log(OSW_LOG_ERROR, "no worker could judge anything; %s",
                outcome->unfit);
    else if (outcome->n_open && outcome->n_unsound)
        osw_log(OSW_LOG_ERROR, "no worker is left; %s", outcome->unfit);
    return osw_outcome_exit_code(outcome, r->fail_on);
}

/* What only judging needs; sealing takes as much memory again. */
static void forget_plan(struct rank *r)
{
    osw_resume_free(&r->past);
    osw_arena_destroy(r->plan_memory);
    r->plan_memory = NULL;
    if (!r->opts->series)
        osw_generated_forget();
}

static int coordinate(struct rank *r, const volatile sig_atomic_t *n_stop,
                      struct osw_error *err)
{
    const struct osw_run_start start = {r->memory, r->args, r->transport};
    struct osw_coordinator_config config = osw_coordinator_defaults;
    struct osw_campaign c;
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;
    osw_run_t *run;
    struct osw_cost_prediction prediction;
    struct osw_outcome outcome;
    const char *path;
    bool judged;
    int code = load_past(r, err);

    if (code != 0)
        return code < 0
                   ? -1
                   : osw_run_summary_finished(r->opts->resume, r->fail_on, err);
    r->plan_memory = osw_arena_create();
    if (!r->plan_memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
    if (make_plan(r, r->plan_memory, (uint32_t)r->transport->n_local, &c,
                  &backend_ops, &plan, err) < 0 ||
        osw_run_start_message(r->opts, r->transport, &c, &config.campaign,
                              err) < 0)
        return -1;
    if (!r->judges)
        osw_expand_forget();
    osw_run_summary_coverage(&c, &backend_ops, &plan);
    fputs(plan.words, stdout);
    fflush(stdout);
    config.campaign.n_files = osw_plan_n_files(&plan);
    path = osw_run_path(r->memory, &c);
    if (path && r->opts->metrics_file &&
        strcmp(path, r->opts->metrics_file) == 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--metrics-file': expected another file than "
                        "the result file '%s'",
                        path);
    if (r->past.replay)
        run =
            osw_run_start_again(&start, r->opts->resume, &r->past, &plan, err);
    else
        run = path ? osw_run_start(&start, path, r->opts->force, &c, &plan, err)
                   : NULL;
    if (!run)
        return -1;
    if (r->past.replay) {
        config.past = &r->past.past;
        osw_log(OSW_LOG_INFO,
                "resume: %" PRIu64 " of %" PRIu64
                " cells are left, session %" PRIu32,
                r->past.n_left, plan.n_cells, r->past.begun.n_sessions + 1);
        if (r->past.n_suspects)
            osw_log(
                OSW_LOG_INFO,
                "resume: %" PRIu64 " of them may have ended a session "
                "or its workers; they come last, one at a time on each worker",
                r->past.n_suspects);
    }
    prediction = osw_cost_predict_wall(&plan, r->past.states,
                                       (uint32_t)r->transport->size - 1);
    if (osw_run_start_session(r->memory, run, r->past.begun.n_sessions,
                              &config.campaign, err) < 0 ||
        osw_run_start_predict(run, &prediction, err) < 0) {
        osw_run_close(run);
        return -1;
    }
    config.n_stop = n_stop;
    config.drain_ns = (int64_t)(r->opts->grace_s * 1e9);
    if (r->opts->no_twins)
        config.late_times = 0;
    config.progress = osw_progress_create(stderr, osw_progress_columns(stderr));
    if (r->opts->metrics_file)
        config.metrics = osw_metrics_create(r->opts->metrics_file, path);
    config.cost_history = r->cost_history;
    judged = judge(r, &plan, &config, run, &outcome, err);
    osw_preflight_report(&c, &plan);
    forget_plan(r);
    code = judged ? finish(r, &outcome, &prediction, run, path, err) : -1;
    osw_cost_history_cache_close(r->cost_history, r->history_path);
    r->cost_history = NULL;
    osw_progress_destroy(config.progress);
    osw_metrics_destroy(config.metrics);
    osw_run_close(run);
    return code;
}

/* Ranks that were lost do not come back, and a device that failed may be sound
 * in a new process only.
 */
static bool may_go_on(const struct rank *r, int code)
{
    return r->opts->series && !r->lost && !r->thinned && code >= 0 &&
           code != osw_status_exit_code(OSW_INCOMPLETE);
}

/* The campaign of the command line, and those of a series after it.  Returns
 * the exit code of the last one, or -1 with err set.
 */
static int coordinate_all(struct rank *r, const volatile sig_atomic_t *n_stop,
                          struct osw_error *err)
{
    const struct osw_campaign_opts given = r->opts->campaign;
    struct osw_args args = *r->args;
    char path[PATH_MAX];
    const char *operand = path;
    int code;

    keep_workers(r, NULL); /* what was recorded before may be long to read */
    osw_generated_take();
    code = coordinate(r, n_stop, err);
    args.operands = &operand;
    r->args = &args;
    while (may_go_on(r, code)) {
        int more;

        keep_workers(r, NULL);
        more = osw_series_next(code, n_stop, path, sizeof(path), err);
        osw_keeper_stop(&r->keeper);
        if (more <= 0)
            return more < 0 ? -1 : code;
        osw_arena_reset(r->memory);
        r->opts->campaign = given;
        code = coordinate(r, n_stop, err);
    }
    return code;
}

/* Everything is saved, so MPI_Finalize may hang now without loss.  Workers that
 * were not lost wait to be told.  Returns the exit code, or -1 with err set.
 *
 * An error is printed first: a worker may take seconds to leave, and once the
 * exit code is there the launcher waits for no more than three.
 */
static int depart(struct rank *r, int rc, struct osw_error *err)
{
    int code = rc < 0 ? osw_status_exit_code(err->status) : rc;

    if (rc < 0) {
        osw_log(OSW_LOG_ERROR, "%s", err->text);
        *err = (struct osw_error)OSW_ERROR_INIT;
        rc = code;
    }
    if (osw_launch_note_leave_code(code, err) < 0)
        rc = -1;
    osw_keeper_stop(&r->keeper);
    if (!r->lost)
        osw_broadcast_end(r->transport);
    close_transport(r, r->lost, code);
    return rc;
}

/* --- other ranks --- */

/* The result of the running cell is not needed: exit.  Children die with us. */
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
    const struct osw_worker_life life = {n_stop, quit_worker,
                                         (int64_t)(patience_s(r) * 1e9)};
    bool lost = true;
    int rc =
        osw_worker_loop_run(r->transport, &osw_judge_worker, &life, &lost, err);

    close_transport(r, lost, 0);
    return rc;
}

/* --- both --- */

/* As one rank of several; or as both, where the other one lives here, too. */
static int serve(struct rank *r, int n_ranks, struct osw_error *err)
{
    const volatile sig_atomic_t *n_stop = osw_launch_count_stops();
    struct osw_transport *other = NULL;
    pthread_t worker;
    char who[32];
    int rc;

    osw_device_set_environment(); /* MPI has threads, too */
    osw_launch_note_leave_pid(patience_s(r));
    if (osw_transport_start(n_ranks, r->opts->silence_s, &r->transport, &other,
                            err) < 0)
        return -1;
    osw_launch_note_leave_started();
    if (r->transport->rank != 0) {
        snprintf(who, sizeof(who), "rank %d", r->transport->rank);
        osw_log_set(OSW_LOG_INFO, who);
        osw_launch_end_with_mpirun();
        return work(r, n_stop, err);
    }
    osw_run_opts_tell_ranks(r->opts, r->args, n_ranks);
    r->judges = other != NULL;
    if (other && osw_worker_thread_start(&worker, other, err) < 0)
        return -1;
    rc = depart(r, coordinate_all(r, n_stop, err), err);
    if (other) {
        (void)!osw_worker_thread_join(worker, r->lost);
        r->leave_at_once |= r->lost;
    }
    return rc;
}

static const char *environment(const char *name)
{
    return getenv(name);
}

static int try_plan(struct rank *r, osw_arena_t *memory, struct osw_campaign *c,
                    struct osw_error *err)
{
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;

    if (make_plan(r, memory, 0, c, &backend_ops, &plan, err) < 0)
        return -1;
    if (r->past.replay && osw_resume_check(memory, &r->past, &plan, err) < 0)
        return -1;
    return osw_preflight_check(c, &plan, err);
}

/* No launcher started ranks: how many are wanted?  Also finds what is wrong
 * with the campaign before there are several to say so; a suite that takes
 * seconds to be found is left to them.  The plan is not kept: rank 0, which may
 * be this process, makes it again.
 */
static int wanted_ranks(struct rank *r, struct osw_error *err)
{
    osw_arena_t *memory = osw_arena_create();
    struct osw_campaign c;
    int rc;

    if (!memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the plan");
    rc = make_campaign(r, 0, &c, err);
    if (rc == 0 && !osw_suite_find(c.suite)->slow)
        rc = try_plan(r, memory, &c, err);
    osw_cost_history_destroy(r->cost_history);
    r->cost_history = NULL;
    osw_arena_destroy(memory);
    if (rc == 0 && !r->past.replay && *c.output)
        rc = osw_run_place_try(c.output, r->opts->force, err);
    if (rc < 0)
        return -1;
    return (int)(c.ranks ? c.ranks : osw_launch_default_ranks(c.device));
}

/* Rank 0 asks no generator again. */
static int start_ranks(struct rank *r, uint32_t n, struct osw_error *err)
{
    int code;

    osw_generated_leave();
    osw_generated_forget();
    osw_expand_forget();
    code =
        osw_launch_run(n, r->args->argc, r->args->argv, r->opts->series, err);
    osw_generated_remove();
    return code;
}

static int run_rank(struct rank *r, struct osw_error *err)
{
    int there = osw_launch_n_ranks(environment, err), past, wanted, rc;

    if (osw_launch_is_lone(environment))
        there = 0; /* may be a shell that srun started */
    past = there == 0 ? load_past(r, err) : 0;
    if (past != 0)
        return past < 0
                   ? -1
                   : osw_run_summary_finished(r->opts->resume, r->fail_on, err);
    wanted = there == 0 ? wanted_ranks(r, err) : there;
    if (there < 0 || wanted < 0)
        return -1;
    if (there == 0 && wanted > 1)
        return start_ranks(r, (uint32_t)wanted, err);
    rc = serve(r, there, err);
    if (r->leave_at_once)
        osw_launch_leave(rc, err);
    return rc;
}

static int run_run(void *opts, const struct osw_args *args,
                   struct osw_error *err)
{
    struct rank r = {.opts = opts, .args = args};
    int rc = -1;

    (void)signal(SIGPIPE, SIG_IGN); /* a reader that leaves ends no campaign */
    if (osw_run_opts_check(r.opts, args, &r.fail_on, &r.shard, err) < 0 ||
        osw_build_confine_own(r.opts->campaign.python, err) < 0)
        return -1;
    r.memory = osw_arena_create();
    if (!r.memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a campaign");
    rc = run_rank(&r, err);
    osw_cost_history_destroy(r.cost_history);
    forget_plan(&r);
    osw_generated_forget();
    osw_arena_destroy(r.memory);
    return rc;
}

const struct osw_cmd osw_cmd_run = {
    .name = "run",
    .topic = "judge",
    .operands = "[CAMPAIGN.json]",
    .summary = "judge every implementation on every case, leave one file",
    .details =
        "Outside mpirun and srun it starts mpirun itself, by default with a\n"
        "coordinator and a worker for each GPU, on a processor one per core, "
        "at\n"
        "most four. One GPU, and -n 1, need no MPI. Under them -n is ignored.\n"
        "The first Ctrl-C lets cells in work finish for --grace seconds and\n"
        "writes an incomplete file, the second stops them at once.\n"
        "CAMPAIGN.json holds options by name, with _ for -: {\"top_by\": "
        "\"size\"};\n"
        "those of the command line win.\n"
        "--resume needs no other option; others are checked against the run,\n"
        "and may say where things lie, or how many ranks there are.\n"
        "--series: each campaign's file names its \"output\"; a line of "
        "standard\n"
        "output tells when it has ended. Ranks stay, and remember what\n"
        "gen_input.py said.\n"
        "--backend llm lets a model write what is judged: 'opsweep run\n"
        "--backend llm --help' tells the options of that.\n"
        "Exit codes: 0 ok, 1 cells failed, 2 bad input, 3 nothing was judged,\n"
        "4 incomplete, 5 I/O or internal error, also of standard output.\n",
    .max_operands = 1,
    .opts = run_optv,
    .defaults = &run_defaults,
    .opts_size = sizeof(run_defaults),
    .form = osw_run_form,
    .run = run_run,
};
