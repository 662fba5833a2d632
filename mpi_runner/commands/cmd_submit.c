/* mpi_runner/commands/cmd_submit.c - opsweep submit: a campaign as a Slurm job
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/cli/cli.h"
#include "common/guard.h"
#include "common/log.h"
#include "common/paths.h"
#include "mpi_runner/batch/batch_script.h"
#include "mpi_runner/batch/job_comment.h"
#include "mpi_runner/batch/queue.h"
#include "mpi_runner/batch/slurm.h"
#include "mpi_runner/campaign/campaign_make.h"
#include "mpi_runner/campaign/expand.h"
#include "mpi_runner/campaign/plan_load.h"
#include "mpi_runner/campaign/preflight.h"
#include "mpi_runner/commands/run_opts.h"
#include "mpi_runner/commands/run_path.h"
#include "ops/cases/suite.h"
#include "results/file/file.h"

struct submit_opts {
    struct osw_run_opts run; /* first: OSW_RUN_OPTV */
    uint64_t nodes, gpus_per_node, array;
    const char *time, *partition, *account, *qos, *after, *container;
    const char *job_name;
    struct osw_list sbatch;
    bool dry_run;
};

static const struct submit_opts submit_defaults = {.run = OSW_RUN_DEFAULTS};

#define AT(field) offsetof(struct submit_opts, field)
/* clang-format off */
static const struct osw_opt submit_optv[] = {
    { "nodes", OSW_OPT_U64, AT(nodes), "nodes of the job [1]", .value = "N",
      .least = 1, .most = 1 << 20,
      .topic = "the job" },
    { "gpus-per-node", OSW_OPT_U64, AT(gpus_per_node),
      "GPUs of each node, one worker each [none]", .value = "N",
      .least = 1, .most = 64 },
    { "time", OSW_OPT_STR, AT(time),
      "limit, as 2:00:00 [the partition's default]", .value = "T" },
    { "partition", OSW_OPT_STR, AT(partition), "partition [Slurm's default]",
      .value = "P" },
    { "account", OSW_OPT_STR, AT(account), "account [Slurm's default]",
      .value = "A" },
    { "qos", OSW_OPT_STR, AT(qos), "quality of service [Slurm's default]",
      .value = "Q" },
    { "array", OSW_OPT_U64, AT(array),
      "split the campaign into N jobs of --nodes each, 2 to 1000, and merge "
      "their files [one job]",
      .value = "N", .least = 2, .most = OSW_BATCH_MAX_SHARDS },
    { "after", OSW_OPT_STR, AT(after), "begin when that job has ended",
      .value = "JOB" },
    { "container", OSW_OPT_STR, AT(container),
      "image that ranks run in, with opsweep in its PATH [none]",
      .value = "IMAGE" },
    { "job-name", OSW_OPT_STR, AT(job_name), "name of the job [opsweep]",
      .value = "NAME" },
    { "sbatch", OSW_OPT_LIST, AT(sbatch),
      "another option of sbatch, such as --sbatch=--exclusive; may be repeated",
      .value = "OPTION" },
    { "dry-run", OSW_OPT_FLAG, AT(dry_run),
      "print the batch script, submit nothing [no]" },
    OSW_RUN_OPTV,
    { 0 },
};
/* clang-format on */

static const struct osw_refusal refused[] = {
    {"ranks", "the job has a rank for each GPU; --nodes and --gpus-per-node "
              "say how many"},
    {"series", "a job's input is empty"},
    {0},
};

/* Options whose value goes to sbatch's option of the same name.  All but the
 * first hold for the job that merges, too.
 */
static const struct {
    const char *name;
    size_t offset;
} same_names[] = {
    {"job-name", AT(job_name)},
    {"time", AT(time)},
    {"partition", AT(partition)},
    {"account", AT(account)},
    {"qos", AT(qos)},
};
#undef AT

enum {
    N_SAME = sizeof(same_names) / sizeof(same_names[0]),
    MAX_SBATCH = N_SAME + OSW_OPT_MAX_LIST + 4,
    MAX_WORDS = OSW_OPT_MAX_ROWS + OSW_OPT_MAX_LIST + 4,
};

/* What is submitted. */
struct submission {
    osw_arena_t *memory;
    struct submit_opts *opts;
    const struct osw_args *args;
    const char *template; /* text of the shipped script */
    const char *output;   /* result file, as asked for */
    const char *comment;
    const char *sbatch[MAX_SBATCH];
    const char *words[MAX_WORDS];
    struct osw_batch batch;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for a batch script");
}

/* --- checks --- */

/* Options that exclude each other. */
static int check_together(const struct submit_opts *o, struct osw_error *err)
{
    if (o->array && o->run.resume)
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--array' and '--resume': expected one of "
                        "them; each shard's own file is resumed by itself");
    if (o->array && (o->run.shard || o->run.metrics_file))
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--array' and '--%s': expected one of them",
                        o->run.shard ? "shard" : "metrics-file");
    return 0;
}

static int check(const struct submit_opts *o, const struct osw_args *args,
                 struct osw_error *err)
{
    struct osw_shard shard;
    uint32_t fail_on;

    return osw_run_opts_check(&o->run, args, &fail_on, &shard, err) < 0 ||
                   check_together(o, err) < 0
               ? -1
               : 0;
}

/* The plan finds ops, cases and implementations that are not there.  In a
 * container are other files than here, and a slow suite takes seconds.
 */
static int check_plan(struct submission *s, const struct osw_campaign *c,
                      struct osw_error *err)
{
    const struct osw_shard first = {s->opts->array ? 1 : 0,
                                    (uint32_t)s->opts->array};
    struct osw_campaign there = *c;
    struct osw_backend_ops backend_ops;
    struct osw_plan plan;

    if (s->opts->container) {
        osw_batch_look_for_image(s->opts->container);
        return 0;
    }
    if (osw_preflight_python_there(c, err) < 0)
        return -1;
    if (osw_suite_find(c->suite)->slow)
        return 0;
    /* This machine may have no GPU. */
    if (s->opts->gpus_per_node && !osw_args_given(s->args, "device"))
        there.device = "cuda";
    osw_expand_enable(&there);
    if (osw_plan_load(s->memory, &there, &backend_ops, &plan, err) < 0)
        return -1;
    if (osw_shard_take(&there, first, &plan, err) == 0)
        return 0;
    osw_error_in(err, "option '--array'");
    return -1;
}

/* Each file that the job will write must be free. */
static int check_places(const struct submission *s, struct osw_error *err)
{
    const struct submit_opts *o = s->opts;

    if (o->run.resume_if_there &&
        !(o->array && osw_batch_shards_none(s->memory, s->output, o->array)))
        return 0;
    return osw_batch_try_places(s->memory, s->output, o->array, o->run.force,
                                err);
}

/* Is it to begin after another job, which may be one that writes its file? */
static bool has_to_wait(const struct submit_opts *o)
{
    bool waits = o->after != NULL;

    for (size_t i = 0; i < o->sbatch.n; i++)
        waits |= osw_batch_is_dependency(o->sbatch.items[i]);
    return waits;
}

/* --- what the script says --- */

static int add_sbatch(struct submission *s, const char *option,
                      const char *value, struct osw_error *err)
{
    const char *word = osw_arena_printf(s->memory, "--%s=%s", option, value);

    if (!word)
        return no_memory(err);
    s->sbatch[s->batch.n_sbatch++] = word;
    return 0;
}

static int add_count(struct submission *s, const char *option, uint64_t n,
                     struct osw_error *err)
{
    const char *value = osw_arena_printf(s->memory, "%" PRIu64, n);

    if (!value)
        return no_memory(err);
    return n ? add_sbatch(s, option, value, err) : 0;
}

/* Options of one name here and there; `merge`: of the job that merges. */
static int add_same_names(struct submission *s, bool merge,
                          struct osw_error *err)
{
    for (size_t i = merge ? 1 : 0; i < N_SAME; i++) {
        const char *value = *(const char *const *)((const char *)s->opts +
                                                   same_names[i].offset);

        if (!value)
            continue;
        if (osw_batch_check(same_names[i].name, value, err) < 0 ||
            (value == s->opts->time && osw_batch_check_time(value, err) < 0) ||
            add_sbatch(s, same_names[i].name, value, err) < 0)
            return -1;
    }
    return 0;
}

static int add_after(struct submission *s, const char *job,
                     struct osw_error *err)
{
    const char *value = osw_arena_printf(s->memory, "afterany:%s", job);

    return value ? add_sbatch(s, "dependency", value, err) : no_memory(err);
}

static int add_after_option(struct submission *s, struct osw_error *err)
{
    const char *job = s->opts->after;

    if (!job)
        return 0;
    if (!*job || strspn(job, "0123456789_:") != strlen(job))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--after': expected the number of a job, found "
                        "'%.80s'",
                        job);
    return add_after(s, job, err);
}

static int fill_sbatch(struct submission *s, struct osw_error *err)
{
    const struct submit_opts *o = s->opts;

    if (add_same_names(s, false, err) < 0 ||
        add_count(s, "nodes", o->nodes, err) < 0 ||
        add_count(s, "gpus-per-node", o->gpus_per_node, err) < 0 ||
        add_after_option(s, err) < 0)
        return -1;
    for (size_t i = 0; i < o->sbatch.n; i++) {
        const char *word = o->sbatch.items[i];

        if (osw_batch_check("sbatch", word, err) < 0)
            return -1;
        if (word[0] != '-')
            return osw_fail(err, OSW_BAD_INPUT,
                            "option '--sbatch': expected an option of sbatch "
                            "such as --exclusive, found '%s'",
                            word);
        s->sbatch[s->batch.n_sbatch++] = word;
    }
    return 0;
}

static int add_word(struct submission *s, const char *word,
                    struct osw_error *err)
{
    if (!word)
        return no_memory(err);
    s->words[s->batch.n_words++] = word;
    return 0;
}

/* An option of `run` as it was given, its value as the table understood it. */
static int add_option(struct submission *s, const struct osw_opt *opt,
                      struct osw_error *err)
{
    const struct osw_list *list =
        (const void *)((const char *)s->opts + opt->offset);
    struct osw_text value = OSW_TEXT_INIT;
    int rc = 0;

    if (opt->kind == OSW_OPT_LIST) {
        for (size_t i = 0; rc == 0 && i < list->n; i++)
            rc = add_word(s,
                          osw_arena_printf(s->memory, "--%s=%s", opt->name,
                                           list->items[i]),
                          err);
        return rc;
    }
    if (opt->kind == OSW_OPT_FLAG) {
        bool on = *(const bool *)((const char *)s->opts + opt->offset);

        return add_word(s,
                        osw_arena_printf(s->memory, "--%s%s", opt->name,
                                         on ? "" : "=false"),
                        err);
    }
    osw_opt_print(opt, s->opts, &value);
    rc = osw_text_str(&value)
             ? add_word(s,
                        osw_arena_printf(s->memory, "--%s=%s", opt->name,
                                         osw_text_str(&value)),
                        err)
             : no_memory(err);
    osw_text_free(&value);
    return rc;
}

static int fill_words(struct submission *s, struct osw_error *err)
{
    bool named = s->opts->array > 0; /* the script names each shard's file */

    for (size_t i = 0; i < s->args->n_operands; i++)
        if (add_word(s, s->args->operands[i], err) < 0)
            return -1;
    for (const struct osw_opt *opt = submit_optv; opt->name; opt++) {
        bool output = strcmp(opt->name, "output") == 0;

        if (opt->offset >= sizeof(struct osw_run_opts) ||
            !osw_args_given(s->args, opt->name) ||
            (output && s->opts->array > 0))
            continue;
        named |= output;
        if (add_option(s, opt, err) < 0)
            return -1;
    }
    /* A name by date is found now, so that it can be told. */
    if (!named && !s->opts->run.resume)
        return add_word(
            s, osw_arena_printf(s->memory, "--output=%s", s->output), err);
    return 0;
}

/* The script; the caller frees it. */
static int make_script(struct submission *s, struct osw_text *out,
                       struct osw_error *err)
{
    static char folder[PATH_MAX];

    if (!getcwd(folder, sizeof(folder)))
        return osw_fail_sys(err, errno, "cannot find the current folder");
    s->batch.sbatch = s->sbatch;
    s->batch.words = s->words;
    s->batch.comment = s->batch.n_shards
                           ? osw_job_comment_shards(s->memory, s->comment)
                           : s->comment;
    if (!s->batch.comment)
        return no_memory(err);
    s->batch.folder = folder;
    s->batch.container = s->opts->container;
    if (!s->opts->container && !(s->batch.program = osw_paths_self(err)))
        return -1;
    return osw_batch_script(s->template, &s->batch, out, err);
}

/* Make of *s the job that merges the shards, after the array `job`. */
static int become_merge(struct submission *s, const char *job,
                        struct osw_error *err)
{
    const char *name =
        osw_arena_printf(s->memory, "%s-merge",
                         s->opts->job_name ? s->opts->job_name : "opsweep");
    const char *n = osw_arena_printf(s->memory, "%" PRIu32, s->batch.n_shards);

    s->batch = (struct osw_batch){0};
    if (!name || !n)
        return no_memory(err);
    for (size_t i = 0; i < s->opts->sbatch.n; i++)
        if (osw_batch_is_for_merge(s->opts->sbatch.items[i]))
            s->sbatch[s->batch.n_sbatch++] = s->opts->sbatch.items[i];
    return add_sbatch(s, "job-name", name, err) < 0 ||
                   add_same_names(s, true, err) < 0 ||
                   add_after(s, job, err) < 0 ||
                   add_word(s, "--merge-shards", err) < 0 ||
                   add_word(s, s->output, err) < 0 || add_word(s, n, err) < 0 ||
                   ((s->opts->run.force || s->opts->run.resume_if_there) &&
                    add_word(s, "--force", err) < 0)
               ? -1
               : 0;
}

/* --- sbatch --- */

/* Print the script, or hand it to Slurm: then *id is the job's number. */
static int submit_script(struct submission *s, const char **id,
                         struct osw_error *err)
{
    struct osw_text script = OSW_TEXT_INIT;
    int rc = make_script(s, &script, err);

    if (rc == 0 && s->opts->dry_run)
        fputs(osw_text_str(&script), stdout);
    else if (rc == 0)
        rc = (*id = osw_slurm_submit(s->memory, osw_text_str(&script),
                                     s->batch.sbatch, s->batch.n_sbatch, err))
                 ? 0
                 : -1;
    osw_text_free(&script);
    return rc;
}

/* The job, or the array.  What an earlier array to the same file left goes away
 * once Slurm took this one.
 */
static int submit_first(struct submission *s, const char **id,
                        struct osw_error *err)
{
    uint64_t n = s->opts->run.force && !s->opts->dry_run && !s->opts->after
                     ? s->opts->array
                     : 0;

    if (osw_batch_old_shards(s->memory, s->output, n, OSW_BATCH_SET_ASIDE,
                             err) < 0)
        return -1;
    if (submit_script(s, id, err) < 0) {
        struct osw_error unused = OSW_ERROR_INIT;

        (void)!osw_batch_old_shards(s->memory, s->output, n, OSW_BATCH_PUT_BACK,
                                    &unused);
        return -1;
    }
    return osw_batch_old_shards(s->memory, s->output, n, OSW_BATCH_REMOVE, err);
}

/* What to do where the job that merges is not queued. */
static void say_by_hand(const char *output, const char *array)
{
    struct osw_text words = OSW_TEXT_INIT;

    osw_batch_add_merge(output, &words);
    if (osw_text_str(&words))
        osw_log(OSW_LOG_WARNING,
                "'scancel %s' ends the array; after its end this merges its "
                "files: %s",
                array, osw_text_str(&words));
    osw_text_free(&words);
}

static int submit_merge(struct submission *s, const char *array,
                        const char **id, struct osw_error *err)
{
    uint32_t n = s->batch.n_shards;
    int rc = become_merge(s, array, err);

    if (rc == 0 && s->opts->dry_run)
        printf("\n# === and, once the array's number is known, this one ===\n");
    if (rc == 0)
        rc = submit_script(s, id, err);
    if (rc == 0)
        return 0;
    osw_error_in(err,
                 "the array is queued as job %s, the job that merges its "
                 "%" PRIu32 " files is not",
                 array, n);
    if (!s->opts->dry_run)
        say_by_hand(s->output, array);
    return -1;
}

/* --- the command --- */

static void tell(const struct submission *s, const char *id, const char *merge)
{
    char word[OSW_SHELL_WORD];

    printf("job %s writes %s\n", id,
           osw_shell_word(osw_job_comment_file(s->comment), word));
    if (merge)
        printf("job %s merges its %" PRIu64 " shards, and ends by their worst "
               "exit code\n",
               merge, s->opts->array);
    printf("  opsweep status %s    how far it is\n"
           "  opsweep cancel %s    stop it, and keep what it has judged\n",
           id, id);
}

static int submit(struct submission *s, struct osw_error *err)
{
    const char *id = "ARRAY", *merge = NULL;
    struct osw_campaign c;

    if (osw_campaign_make(s->memory, &s->opts->run.campaign, s->args, 1, &c,
                          err) < 0)
        return -1;
    s->output =
        s->opts->run.resume ? s->opts->run.resume : osw_run_path(s->memory, &c);
    if (!s->output)
        return no_memory(err);
    if ((s->opts->run.resume
             ? osw_run_path_resume(s->output, err) < 0
             : check_plan(s, &c, err) < 0 || check_places(s, err) < 0) ||
        (!s->opts->dry_run && !has_to_wait(s->opts) &&
         osw_queue_check_free(s->memory, s->output, err) < 0))
        return -1;
    s->comment = osw_job_comment(s->memory, s->output, err);
    s->batch.output = s->output;
    s->batch.n_shards = (uint32_t)s->opts->array;
    if (!s->comment || fill_sbatch(s, err) < 0 || fill_words(s, err) < 0 ||
        !(s->template = osw_batch_template(s->memory, err)) ||
        submit_first(s, &id, err) < 0 ||
        (s->opts->array && submit_merge(s, id, &merge, err) < 0))
        return -1;
    if (!s->opts->dry_run)
        tell(s, id, merge);
    return 0;
}

static int submit_run(void *opts, const struct osw_args *args,
                      struct osw_error *err)
{
    struct submission *s = calloc(1, sizeof(*s));
    int rc = -1;

    if (!s)
        return no_memory(err);
    s->opts = opts;
    s->args = args;
    s->memory = osw_arena_create();
    if (!s->memory)
        (void)no_memory(err);
    else if (check(s->opts, args, err) == 0)
        rc = submit(s, err);
    osw_arena_destroy(s->memory);
    free(s);
    return rc;
}

extern const struct osw_cmd osw_cmd_submit;
const struct osw_cmd osw_cmd_submit = {
    .name = "submit",
    .topic = "judge",
    .operands = "[CAMPAIGN.json]",
    .summary = "run a campaign as a Slurm job, on many nodes",
    .details =
        "Takes the options of run and checks them now, not hours later; then\n"
        "makes a batch script of share/opsweep/slurm/opsweep.sbatch and hands\n"
        "it to sbatch. --dry-run prints the script, to be kept or changed, "
        "and\n"
        "submitted by sbatch from any folder. The job starts in this folder.\n"
        "--array N: N jobs, each with a part of the campaign and a file\n"
        "NAME.shard-I.h5, and one more that merges them.\n"
        "A job that Slurm requeues goes on with its run.\n"
        "Exit codes: 0 submitted, 2 bad input, or Slurm refuses the job,\n"
        "3 nothing to judge, 5 Slurm is not there or does not answer.\n",
    .max_operands = 1,
    .opts = submit_optv,
    .refused = refused,
    .defaults = &submit_defaults,
    .opts_size = sizeof(submit_defaults),
    .run = submit_run,
};
