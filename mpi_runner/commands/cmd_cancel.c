/* mpi_runner/commands/cmd_cancel.c - opsweep cancel: stop a job, keep what it
 * judged
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/clock.h"
#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/queue.h"
#include "mpi_runner/batch/slurm.h"
#include "mpi_runner/batch/slurm_job.h"

struct cancel_opts {
    bool now;
};

static const struct cancel_opts cancel_defaults = {.now = false};

static const struct osw_opt cancel_optv[] = {
    {"now", OSW_OPT_FLAG, offsetof(struct cancel_opts, now),
     "give running cells no time: they are not judged [no]"},
    {0},
};

/* Two signals that come together count as one. */
static const int64_t between_signals_ns = INT64_C(2000000000);

/* A job, or some tasks of an array, as it was when Slurm was asked. */
struct job {
    struct osw_queue_job is;
    bool deaf; /* its script may not hear signals yet */
    bool due;  /* is to be asked to stop, and was not yet */
};

enum {
    MAX_ROUNDS = 4,       /* for jobs that change their state meanwhile */
    MAX_DEAF_ROUNDS = 60, /* for those that do not say that they stop */
};

struct jobs {
    size_t n;
    struct job *items;
};

/* Running ones that got the first signal of --now. */
struct warned {
    size_t n;
    const char *ids[OSW_QUEUE_MAX_JOBS];
};

/* --- which job --- */

static int take(osw_arena_t *memory, const struct osw_queue *queue,
                struct jobs *out, struct osw_error *err)
{
    *out = (struct jobs){
        .n = queue->n,
        .items = osw_arena_array(memory, queue->n, sizeof(*out->items))};
    if (!out->items)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for a list of jobs");
    for (size_t i = 0; i < queue->n; i++)
        out->items[i].is = queue->items[i];
    return 0;
}

static int find_by_id(osw_arena_t *memory, const char *id, struct jobs *out,
                      struct osw_error *err)
{
    struct osw_queue queue;

    if (osw_queue_find_id(memory, id, &queue, err) < 0)
        return -1;
    if (queue.n == 0)
        return osw_fail(err, OSW_NOTHING,
                        "job %s has ended, there is nothing to stop", id);
    for (size_t i = 0; i < queue.n; i++)
        if (!osw_job_comment_is_ours(queue.items[i].comment))
            return osw_fail(err, OSW_BAD_INPUT,
                            "job %s: expected a job of opsweep submit, whose "
                            "comment is 'opsweep:FILE', found '%s'; scancel "
                            "stops others",
                            id, queue.items[i].comment);
    return take(memory, &queue, out, err);
}

/* Is there a file, or the journal of one that is not written yet? */
static bool is_there(osw_arena_t *memory, const char *path)
{
    const char *journal = osw_arena_printf(memory, "%s.journal", path);

    return access(path, F_OK) == 0 || (journal && access(journal, F_OK) == 0);
}

/* A job that waits writes a file that is not there yet. */
static bool may_be_file(osw_arena_t *memory, const char *word)
{
    const char *dot = strrchr(word, '.');

    return strchr(word, '/') || (dot && strcmp(dot, ".h5") == 0) ||
           is_there(memory, word);
}

static int find_by_file(osw_arena_t *memory, const char *path, struct jobs *out,
                        struct osw_error *err)
{
    struct osw_queue queue;

    if (!may_be_file(memory, path))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s': expected the number of a job or a result file, "
                        "found neither",
                        path);
    if (osw_queue_find_file(memory, path, &queue, err) < 0)
        return -1;
    if (queue.n > 0)
        return take(memory, &queue, out, err);
    if (is_there(memory, path))
        return osw_fail(err, OSW_NOTHING,
                        "'%s': none of your jobs in squeue writes it", path);
    return osw_fail(err, OSW_BAD_INPUT,
                    "'%s': expected a result file, or one that a job of yours "
                    "in squeue writes, found neither",
                    path);
}

/* --- to stop it --- */

static bool is_pending(const struct job *job)
{
    return strcmp(job->is.state, "PENDING") == 0;
}

static int scancel(const char *how, const char *what, const char *id,
                   struct osw_error *err)
{
    const char *const argv[] = {"scancel", how, what, id, NULL};
    struct osw_slurm_answer answer;
    int rc = osw_slurm_call(argv, NULL, &answer, err);

    if (rc == 0 && answer.exit_code != 0)
        rc = osw_slurm_refuse("scancel", osw_text_str(&answer.out), err);
    osw_text_free(&answer.out);
    return rc;
}

static void say_resume(const char *file)
{
    char word[OSW_SHELL_WORD];

    if (strstr(file, ".shard-%a."))
        printf("to go on: the same opsweep submit with --resume-if-there\n");
    else
        printf("to go on: opsweep submit --resume %s\n",
               osw_shell_word(file, word));
}

/* The batch script passes one URG on to every rank, and every TERM: of the
 * second signal they stop at once.  URG does no harm to a script that does not
 * listen yet.
 */
static int warn(const char *id, bool now, struct warned *warned,
                struct osw_error *err)
{
    if (scancel("--batch", "--signal=URG", id, err) < 0)
        return -1;
    if (now && warned->n < OSW_QUEUE_MAX_JOBS)
        warned->ids[warned->n++] = id;
    return 0;
}

/* The second signal.  Slurm refuses it for jobs that have ended meanwhile. */
static int urge(const struct warned *warned, struct osw_error *err)
{
    if (warned->n > 0)
        osw_clock_sleep_ns(between_signals_ns);
    for (size_t i = 0; i < warned->n; i++) {
        struct osw_error one = OSW_ERROR_INIT;

        if (scancel("--batch", "--signal=TERM", warned->ids[i], &one) < 0 &&
            one.status != OSW_BAD_INPUT)
            return osw_fail(err, one.status, "%s", one.text);
    }
    return 0;
}

static int stop(const struct job *job, bool now, struct warned *warned,
                struct osw_error *err)
{
    const char *file = osw_job_comment_file(job->is.comment);

    if (is_pending(job)) {
        if (scancel("--state=PENDING", "--quiet", job->is.id, err) < 0)
            return -1;
        printf("job %s: taken out of the queue, before it began\n", job->is.id);
        return 0;
    }
    if (warn(job->is.id, now, warned, err) < 0)
        return -1;
    printf("job %s: asked to stop%s; then all is saved and it ends by exit "
           "code 4\n",
           job->is.id,
           now ? " at once" : ": running cells have --grace seconds");
    if (file)
        say_resume(file);
    return 0;
}

static int find(osw_arena_t *memory, const char *word, struct jobs *out,
                struct osw_error *err)
{
    return osw_slurm_is_job(word) ? find_by_id(memory, word, out, err)
                                  : find_by_file(memory, word, out, err);
}

/* A job that Slurm refused to signal: has it ended, or does it run by now? */
static int stop_or_ended(osw_arena_t *memory, const struct job *job, bool now,
                         struct warned *warned, struct osw_error *err)
{
    struct osw_error gone = OSW_ERROR_INIT;
    struct jobs jobs;

    if (find_by_id(memory, job->is.id, &jobs, &gone) < 0) {
        if (gone.status == OSW_SYSTEM)
            return osw_fail(err, gone.status, "%s", gone.text);
        printf("job %s: has ended meanwhile\n", job->is.id);
        return 0;
    }
    for (size_t i = 0; i < jobs.n; i++)
        if (stop(&jobs.items[i], now, warned, err) < 0)
            return -1;
    return 0;
}

/* Those that are due and wait, or that run. */
static int stop_first(struct jobs *jobs, bool pending, bool now,
                      struct warned *warned, struct osw_error *err)
{
    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->items[i];
        struct osw_error one = OSW_ERROR_INIT;

        if (!job->due || is_pending(job) != pending)
            continue;
        job->due = stop(job, now, warned, &one) < 0;
        if (job->due && one.status != OSW_BAD_INPUT)
            return osw_fail(err, one.status, "%s", one.text);
    }
    return 0;
}

/* All that are due; those that wait first, or one of them would begin
 * meanwhile. A job may end, or be between two states, just when Slurm is asked
 * to signal it: look again before that is an error, which costs no other job
 * its signal. The first such error is returned.
 */
static int stop_due(osw_arena_t *memory, struct jobs *jobs, bool now,
                    struct warned *warned, struct osw_error *err)
{
    bool slept = false;
    int rc = 0;

    if (stop_first(jobs, true, now, warned, err) < 0 ||
        stop_first(jobs, false, now, warned, err) < 0)
        return -1;
    for (size_t i = 0; i < jobs->n; i++) {
        if (!jobs->items[i].due)
            continue;
        if (!slept)
            osw_clock_sleep_ns(between_signals_ns);
        slept = true;
        if (stop_or_ended(memory, &jobs->items[i], now, warned, err) < 0)
            rc = -1;
        else
            jobs->items[i].due = false;
    }
    return urge(warned, err) < 0 ? -1 : rc;
}

/* Slurm calls a job running before its script runs, while nodes are prepared
 * for it, and drops a signal that comes in between: in its first ten minutes.
 */
static bool is_new(const struct job *job)
{
    return strlen(job->is.elapsed) == strlen("9:59");
}

/* `was`: it, at the look before, or NULL.  What it said once may be replaced by
 * how far it is.
 */
static bool is_deaf(const struct job *job, const struct job *was)
{
    bool before = was && !is_pending(was) ? was->deaf : is_new(job);

    return before && strcmp(job->is.state, "RUNNING") == 0 &&
           !osw_job_comment_stops(job->is.comment);
}

/* Its state at the look before, NULL: it was not there. */
static const struct job *find_job(const struct jobs *jobs, const char *id)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (strcmp(jobs->items[i].is.id, id) == 0)
            return &jobs->items[i];
    return NULL;
}

static int stop_all(osw_arena_t *memory, struct jobs *jobs, bool now,
                    struct osw_error *err)
{
    struct warned warned = {.n = 0};
    int rc;

    for (size_t i = 0; i < jobs->n; i++)
        jobs->items[i].due = true;
    rc = stop_due(memory, jobs, now, &warned, err);
    for (size_t i = 0; i < jobs->n; i++)
        jobs->items[i].deaf =
            !jobs->items[i].due && is_deaf(&jobs->items[i], NULL);
    return rc;
}

/* Those that may have missed their signal, those that began while they were
 * taken out of the queue, which scancel leaves alone then, and those that went
 * back to it near their time limit.
 */
static int stop_again(osw_arena_t *memory, struct jobs *jobs,
                      const struct jobs *before, bool now,
                      struct osw_error *err)
{
    struct warned warned = {.n = 0};

    for (size_t i = 0; i < jobs->n; i++) {
        struct job *job = &jobs->items[i];
        const struct job *was = find_job(before, job->is.id);
        bool known = was && is_pending(was) == is_pending(job);
        struct osw_error ended = OSW_ERROR_INIT;

        job->deaf = is_deaf(job, was);
        if (!is_pending(job) && !job->deaf)
            continue;
        job->due = !known;
        if (known && !is_pending(job))
            (void)!warn(job->is.id, now, &warned, &ended);
    }
    return stop_due(memory, jobs, now, &warned, err);
}

/* Is another look at them needed, after so many? */
static bool is_open(const struct jobs *jobs, int round)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->items[i].deaf ||
            (is_pending(&jobs->items[i]) && round < MAX_ROUNDS))
            return true;
    return false;
}

static void warn_of_deaf(const struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->n; i++)
        if (jobs->items[i].deaf)
            fprintf(stderr,
                    "opsweep: warning: job %s does not say that it stops; "
                    "'scancel %s' ends it, and what it judged is kept\n",
                    jobs->items[i].is.id, jobs->items[i].is.id);
}

static int cancel(osw_arena_t *memory, const char *word, bool now,
                  struct osw_error *err)
{
    struct osw_error gone = OSW_ERROR_INIT;
    struct jobs jobs, before;
    int rc;

    if (find(memory, word, &jobs, err) < 0)
        return -1;
    rc = stop_all(memory, &jobs, now, err);
    for (int round = 1; is_open(&jobs, round); round++) {
        if (rc < 0 && err->status != OSW_BAD_INPUT)
            break;
        if (round == MAX_DEAF_ROUNDS) {
            warn_of_deaf(&jobs);
            break;
        }
        osw_clock_sleep_ns(between_signals_ns);
        before = jobs;
        if (find(memory, word, &jobs, &gone) < 0)
            break; /* none is left */
        if (stop_again(memory, &jobs, &before, now, err) < 0)
            rc = -1;
    }
    return rc;
}

static int cancel_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct cancel_opts *o = opts;
    osw_arena_t *memory = osw_arena_create();
    int rc;

    if (!memory)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to cancel a job");
    rc = cancel(memory, args->operands[0], o->now, err);
    osw_arena_destroy(memory);
    return rc;
}

extern const struct osw_cmd osw_cmd_cancel;
const struct osw_cmd osw_cmd_cancel = {
    .name = "cancel",
    .topic = "judge",
    .operands = "JOB|FILE.h5",
    .summary = "stop a Slurm job of opsweep, and keep what it judged",
    .details =
        "JOB is the number of a job, of an array or of one of its tasks;\n"
        "FILE.h5 the result file that a job of `opsweep submit` writes.\n"
        "A job that waits leaves the queue. One that runs saves what it has, "
        "as\n"
        "near its time limit, and can be resumed; it does not go back to the\n"
        "queue by itself.\n"
        "Exit codes: 0 asked to stop, 2 no such job, 3 it has ended already,\n"
        "5 Slurm cannot be reached.\n",
    .min_operands = 1,
    .max_operands = 1,
    .opts = cancel_optv,
    .defaults = &cancel_defaults,
    .opts_size = sizeof(cancel_defaults),
    .run = cancel_run,
};
