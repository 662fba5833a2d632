/* mpi_runner/commands/cmd_status.c - opsweep status: how far a run is */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cli/cli.h"
#include "common/clock.h"
#include "mpi_runner/batch/slurm_job.h"
#include "results/journal/journal.h"
#include "results/report/run_status.h"

struct status_opts {
    int format; /* index in formats */
    bool watch;
    double every_s;
};

enum { TEXT, JSON };
static const char *const formats[] = {"text", "json", NULL};
static const struct status_opts status_defaults = {.every_s = 2};

#define AT(field) offsetof(struct status_opts, field)
/* clang-format off */
static const struct osw_opt status_optv[] = {
    { "format", OSW_OPT_CHOICE, AT(format), "text or json",
      .value = "NAME", .choices = formats },
    { "watch", OSW_OPT_FLAG, AT(watch),
      "print it again and again, until the run ends" },
    { "every", OSW_OPT_F64, AT(every_s), "seconds between two looks of --watch",
      .value = "S" },
    { 0 },
};
/* clang-format on */
#undef AT

/* A look takes as long as the journal is large: at most a tenth of the time. */
enum { REST = 10 };

/* --- which file --- */

/* When the newest part of the journal `dir` was written; 0: it is none. */
static int64_t written_at(const char *dir)
{
    char path[4096];
    struct stat st;
    int64_t newest = 0;
    uint32_t n;

    if (osw_journal_count_segments(dir, &n, NULL) < 0)
        return 0;
    osw_journal_segment_path(dir, n - 1, path, sizeof(path));
    if (stat(path, &st) == 0)
        newest = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
    return newest;
}

/* The result file whose journal in the current folder was written last. */
static int find_newest(char path[OSW_SLURM_MAX_PATH], struct osw_error *err)
{
    static const char suffix[] = ".journal";
    DIR *dir = opendir(".");
    struct dirent *e;
    int64_t newest = 0;

    if (!dir)
        return osw_fail_sys(err, errno, "cannot read the current folder");
    while ((e = readdir(dir))) {
        size_t n = strlen(e->d_name), cut = n - (sizeof(suffix) - 1);
        int64_t at;

        if (n < sizeof(suffix) || strcmp(e->d_name + cut, suffix) != 0)
            continue;
        at = written_at(e->d_name);
        if (at <= newest)
            continue;
        newest = at;
        snprintf(path, OSW_SLURM_MAX_PATH, "%.*s", (int)cut, e->d_name);
    }
    closedir(dir);
    if (newest)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "the current folder holds no journal (*.journal) of a run: "
                    "expected opsweep status FILE or JOB");
}

/* The result file may be named by its journal, too. */
static void take_name(const char *word, char path[OSW_SLURM_MAX_PATH])
{
    size_t n = strlen(word);

    while (n > 1 && word[n - 1] == '/')
        n--;
    if (n > 8 && strncmp(word + n - 8, ".journal", 8) == 0)
        n -= 8;
    snprintf(path, OSW_SLURM_MAX_PATH, "%.*s", (int)n, word);
}

/* --- printing --- */

/* What is looked at: a file, or the jobs of a number. */
struct target {
    const char *job; /* NULL: */
    char path[OSW_SLURM_MAX_PATH];
    bool going;      /* something may still change */
    bool incomplete; /* and something ended before its time */
};

static void note(struct target *t, const struct osw_run_status *s)
{
    t->going |= s->phase == OSW_RUN_GOING;
    t->incomplete |=
        s->phase == OSW_RUN_CUT_OFF || s->phase == OSW_RUN_INCOMPLETE;
}

static int add_file(struct target *t, const struct status_opts *o,
                    struct osw_text *text, struct osw_error *err)
{
    struct osw_json_out json = osw_json_out(text);
    struct osw_run_status s;

    if (osw_run_status_load(t->path, osw_clock_unix_ns(), &s, err) < 0)
        return -1;
    note(t, &s);
    if (o->format == JSON)
        osw_run_status_json(&s, NULL, &json);
    else
        osw_run_status_text(&s, text);
    osw_run_status_free(&s);
    return 0;
}

static void add_job_line(const struct osw_slurm_job *job, struct osw_text *text)
{
    osw_text_printf(text, "job %s: %s", job->id, job->state);
    if (*job->reason)
        osw_text_printf(text, " (%s)", job->reason);
    if (*job->nodes)
        osw_text_printf(text, " on %s", job->nodes);
    if (*job->run_time)
        osw_text_printf(text, ", %s of %s", job->run_time, job->time_limit);
    osw_text_add(text, "\n");
}

static void add_job_json(const struct osw_slurm_job *job,
                         const struct osw_run_status *s,
                         struct osw_json_out *json)
{
    osw_json_out_object(json, NULL);
    osw_json_out_str(json, "job", job->id);
    osw_json_out_str(json, "state", job->state);
    osw_json_out_str(json, "reason", job->reason);
    osw_json_out_str(json, "nodes", job->nodes);
    osw_json_out_str(json, "run_time", job->run_time);
    osw_json_out_str(json, "time_limit", job->time_limit);
    osw_json_out_str(json, "stdout", job->stdout_path);
    osw_json_out_str(json, "file", job->file);
    if (s)
        osw_run_status_json(s, "status", json);
    else
        osw_json_out_null(json, "status");
    osw_json_out_end(json);
}

/* One that waits or runs may still write; of others the file decides. */
static bool is_alive(const struct osw_slurm_job *job)
{
    static const char *const alive[] = {
        "PENDING",  "RUNNING",  "CONFIGURING", "COMPLETING", "SUSPENDED",
        "REQUEUED", "RESIZING", "STAGE_OUT",   "SIGNALING",
    };

    for (size_t i = 0; i < sizeof(alive) / sizeof(alive[0]); i++)
        if (strcmp(job->state, alive[i]) == 0)
            return true;
    return false;
}

static void add_job(struct target *t, const struct osw_slurm_job *job,
                    struct osw_json_out *json, struct osw_text *text)
{
    struct osw_error why = OSW_ERROR_INIT;
    struct osw_run_status s;
    bool known =
        *job->file &&
        osw_run_status_load(job->file, osw_clock_unix_ns(), &s, &why) == 0;

    t->going |= is_alive(job);
    if (known && !is_alive(job))
        note(t, &s);
    if (!known && *job->file && !is_alive(job))
        t->incomplete = true; /* it ended, and there is nothing */
    if (json) {
        add_job_json(job, known ? &s : NULL, json);
    } else {
        add_job_line(job, text);
        if (known)
            osw_run_status_text(&s, text);
        else if (*job->file)
            osw_text_printf(text, "%s\n", why.text);
        else
            osw_text_printf(text,
                            "its comment names no result file: opsweep status "
                            "FILE; it prints to '%s'\n",
                            job->stdout_path);
    }
    if (known)
        osw_run_status_free(&s);
}

static int add_jobs(struct target *t, const struct status_opts *o,
                    struct osw_text *text, struct osw_error *err)
{
    struct osw_slurm_job *jobs = calloc(OSW_SLURM_MAX_JOBS, sizeof(*jobs));
    struct osw_json_out json = osw_json_out(text);
    size_t n = 0;
    int rc = -1;

    if (!jobs)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for jobs");
    rc = osw_slurm_job_ask(t->job, jobs, &n, err);
    if (rc == 0 && o->format == JSON) {
        osw_json_out_object(&json, NULL);
        osw_json_out_str(&json, "format", "opsweep.jobs");
        osw_json_out_u64(&json, "version", 1);
        osw_json_out_list(&json, "jobs");
    }
    for (size_t i = 0; i < n && rc == 0; i++)
        add_job(t, &jobs[i], o->format == JSON ? &json : NULL, text);
    if (rc == 0 && o->format == JSON) {
        osw_json_out_end(&json);
        osw_json_out_end(&json);
    }
    free(jobs);
    return rc;
}

/* One look.  Returns 0 or -1. */
static int look(struct target *t, const struct status_opts *o,
                struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT;
    int rc;

    t->going = t->incomplete = false;
    rc = t->job ? add_jobs(t, o, &text, err) : add_file(t, o, &text, err);
    if (rc == 0 && !osw_text_str(&text))
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory to print it");
    if (rc == 0 && o->watch && o->format == TEXT && isatty(STDOUT_FILENO))
        fputs("\033[H\033[2J", stdout);
    if (rc == 0)
        printf("%s%s", osw_text_str(&text), o->format == JSON ? "\n" : "");
    if (rc == 0 && fflush(stdout) != 0)
        rc = osw_fail(err, OSW_SYSTEM, "cannot write to standard output");
    osw_text_free(&text);
    return rc;
}

static int watch(struct target *t, const struct status_opts *o,
                 struct osw_error *err)
{
    for (;;) {
        int64_t begin_ns = osw_clock_ns(), took_ns;

        if (look(t, o, err) < 0)
            return -1;
        if (!o->watch || !t->going)
            return t->incomplete && !t->going
                       ? osw_status_exit_code(OSW_INCOMPLETE)
                       : 0;
        took_ns = osw_clock_ns() - begin_ns;
        osw_clock_sleep_ns((int64_t)(o->every_s * 1e9) > REST * took_ns
                               ? (int64_t)(o->every_s * 1e9)
                               : REST * took_ns);
        if (!isatty(STDOUT_FILENO) && o->format == TEXT)
            putchar('\n');
    }
}

static int status_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    const struct status_opts *o = opts;
    struct target t = {.job = NULL};

    if (!(o->every_s >= 0.1 && o->every_s <= 86400))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--every': expected 0.1 to 86400 seconds, "
                        "found %g",
                        o->every_s);
    if (osw_args_given(args, "every") && !o->watch)
        return osw_fail(err, OSW_BAD_INPUT, "option '--every' needs '--watch'");
    if (args->n_operands == 0) {
        if (find_newest(t.path, err) < 0)
            return -1;
    } else {
        take_name(args->operands[0], t.path);
        if (osw_slurm_is_job(args->operands[0]) && access(t.path, F_OK) != 0)
            t.job = args->operands[0];
    }
    return watch(&t, o, err);
}

extern const struct osw_cmd osw_cmd_status;
const struct osw_cmd osw_cmd_status = {
    .name = "status",
    .topic = "read results",
    .operands = "[FILE|JOB]",
    .summary = "print how far a run is, while it goes on and after it",
    .details =
        "FILE is the result file, also before it is there: a run that goes on\n"
        "is read from FILE.journal, from any node that sees it, and is not\n"
        "disturbed. JOB is the number of a Slurm job, or of an array of jobs,\n"
        "whose comment names the result file. Without either: the run whose\n"
        "journal in the current folder was written last.\n"
        "Exit codes: 0 the run goes on or is complete, 2 it cannot be read,\n"
        "4 it ended or was cut off before all cells were judged and written,\n"
        "5 I/O error.\n",
    .max_operands = 1,
    .opts = status_optv,
    .defaults = &status_defaults,
    .opts_size = sizeof(status_defaults),
    .guarded = true,
    .run = status_run,
};
