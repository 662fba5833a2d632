/* mpi_runner/commands/cmd_generate.c - opsweep generate, run --backend llm: a
 * model writes kernels, and is told what the judge found */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/cli.h"
#include "common/json.h"
#include "common/log.h"
#include "mpi_runner/commands/generate_opts.h"
#include "mpi_runner/commands/run_path.h"
#include "mpi_runner/generate/confine.h"
#include "mpi_runner/generate/drive.h"
#include "mpi_runner/generate/summary.h"
#include "mpi_runner/generate/winners.h"
#include "mpi_runner/ranks/launch.h"
#include "results/file/run_place.h"
#include "results/report/report_headlines.h"

/* What both commands decide by themselves. */
#define REFUSED                                                                \
    {"impls", "what is judged is what the model wrote"},                       \
        {"cells", "choose by --ops and the suite"},                            \
        {"kernels-dir", "judge kernels that are there by 'opsweep run'"},      \
    {                                                                          \
        "history", "campaigns of a run are small"                              \
    }

static const struct osw_refusal refused[] = {
    {"output", "a run has a folder: --generated-dir, --run-id; 'opsweep run "
               "--backend llm' writes a file"},
    {"force", "a run has a folder of its own"},
    REFUSED,
    {0},
};
static const struct osw_refusal run_refused[] = {REFUSED, {0}};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the options");
}

static int configure(const struct osw_generate_opts *o,
                     struct osw_drive_config *config, struct osw_error *err)
{
    *config = (struct osw_drive_config){
        .rules = {.search = (enum osw_search)o->search,
                  .n_attempts = (uint32_t)o->attempts,
                  .width = (uint32_t)o->width},
        .lang = osw_lang_at(o->lang),
        .api = osw_api_find(o->api       ? o->api
                            : o->command ? "command"
                            : o->replay  ? "replay"
                                         : "anthropic"),
        .api_config = {.url = o->url,
                       .model = o->model,
                       .key_env = o->key_env,
                       .command = o->command,
                       .replay = o->replay,
                       .max_tokens = o->max_tokens,
                       .timeout_s = o->request_timeout},
        .templates = o->templates,
        .concurrency = o->concurrency,
        .max_cost = o->max_cost,
        .send_output = o->send_output,
        .sanitize = !o->no_sanitizer,
        .profile = !o->no_profiler,
        .unisolated = o->unisolated_tools,
    };
    return !o->dry_run && /* nothing is asked */
                   osw_api_check(config->api, &config->api_config, err) < 0
               ? -1
               : osw_price_parse(o->price, &config->price, err);
}

static const char *name_folder(osw_arena_t *arena,
                               const struct osw_generate_opts *o)
{
    time_t now = time(NULL);
    struct tm local;
    char date[32];

    localtime_r(&now, &local);
    strftime(date, sizeof(date), "%Y%m%d_%H%M%S", &local);
    return osw_arena_printf(arena, "%s/run_%s", o->folder,
                            o->run_id ? o->run_id : date);
}

static int print_dry_run(const struct osw_drive_config *config,
                         const struct osw_tasks *tasks, struct osw_error *err)
{
    double most = 0;
    size_t n_shown = 0, n_cases = 0;

    for (size_t i = 0; i < tasks->n; i++) {
        struct osw_text prompt = OSW_TEXT_INIT;

        if (osw_drive_first_prompt(config, &tasks->at[i], &prompt, err) < 0) {
            osw_text_free(&prompt);
            return -1;
        }
        if (i == 0)
            printf("%s\n", osw_text_str(&prompt));
        /* Later prompts have code and feedback, about as long as an answer. */
        most += config->rules.n_attempts *
                osw_price_most(&config->price,
                               prompt.used + 4 * config->api_config.max_tokens,
                               config->api_config.max_tokens);
        osw_text_free(&prompt);
        n_cases += tasks->at[i].n_cases;
        n_shown += tasks->at[i].n_shown;
    }
    printf("%zu op%s, %zu cases, %zu of them held out; at most %zu requests",
           tasks->n, osw_plural(tasks->n), n_cases, n_cases - n_shown,
           tasks->n * config->rules.n_attempts);
    if (config->price.in > 0 || config->price.out > 0)
        printf(", about %.4g at most", most);
    printf("\n");
    return 0;
}

/* Print the summary; returns the exit code. */
static int print_result(const struct osw_drive_config *config,
                        const struct osw_tasks *tasks, osw_asked_t *asked,
                        const struct osw_drive_result *result)
{
    struct osw_text text = OSW_TEXT_INIT;
    bool all_right = true;

    for (size_t i = 0; i < tasks->n; i++)
        all_right = all_right && result->ops[i].chosen >= 0;
    osw_generate_summary_add(config, tasks, asked, result, &text);
    printf("%s", osw_text_str(&text) ? osw_text_str(&text) : "");
    osw_text_free(&text);
    return osw_status_exit_code(result->out_of_money ? OSW_INCOMPLETE
                                : all_right          ? OSW_OK
                                                     : OSW_FAILED);
}

/* `file`: what won is judged into it; NULL: it is not. */
static int generate(osw_asked_t *asked, struct osw_drive_config *config,
                    const struct osw_tasks *tasks, const char *file,
                    struct osw_error *err)
{
    struct osw_drive_result result = {.ops = NULL};
    int rc;

    if (osw_generate_confine_lacks())
        osw_log(OSW_LOG_WARNING,
                "generated code may read what you can, and what it reads may "
                "reach the model: %s",
                osw_generate_confine_lacks());
    config->api_config.run = osw_asked_folder(asked);
    config->n_stop = osw_launch_count_stops();
    rc = osw_drive_run(config, tasks, asked, &result, err);
    if (rc == 0)
        rc = osw_generate_summary_write(config, tasks, asked, &result, err);
    if (rc == 0)
        rc = print_result(config, tasks, asked, &result);
    if (rc >= 0 && file) {
        if (osw_winners_run(config, tasks, asked, &result, file, err) < 0)
            rc = -1;
        else
            osw_report_last_lines(file, rc != 0 ? "what failed, and why" : NULL,
                                  stdout);
    }
    free(result.ops);
    return rc;
}

static int load(osw_arena_t *arena, struct osw_generate_opts *o,
                const struct osw_args *args, osw_asked_t **asked,
                struct osw_drive_config *config, struct osw_tasks *tasks,
                struct osw_error *err)
{
    o->campaign.generates = true;
    if (o->resume) {
        *asked = osw_asked_open(o->resume, true, err);
        if (!*asked || osw_generate_opts_take(arena, *asked, args, o, err) < 0)
            return -1;
    }
    if (osw_generate_opts_read(arena, args, o, err) < 0 ||
        osw_generate_opts_check(o, args, err) < 0 ||
        configure(o, config, err) < 0 ||
        osw_tasks_load(arena, &o->campaign, args, o->holdout, tasks, err) < 0)
        return -1;
    config->rules.seed = tasks->campaign.seed;
    if (tasks->n_left_out > 0)
        osw_log(OSW_LOG_WARNING,
                "%zu op%s left out: without a folder of their own, or without "
                "a case that can be judged here",
                tasks->n_left_out, osw_plural(tasks->n_left_out));
    return osw_generate_opts_check_lang(config->lang, tasks->campaign.device,
                                        err);
}

/* The result file of `run`. */
static int name_file(osw_arena_t *arena, const struct osw_generate_opts *o,
                     const struct osw_tasks *tasks, const char **file,
                     struct osw_error *err)
{
    *file = osw_run_path(arena, &tasks->campaign);
    return *file ? osw_run_place_try(*file, o->force, err) : no_memory(err);
}

static int run_with(osw_arena_t *arena, struct osw_generate_opts *o,
                    const struct osw_args *args, bool as_run,
                    osw_asked_t **asked, struct osw_error *err)
{
    struct osw_drive_config config;
    struct osw_tasks tasks;
    const char *folder, *file = NULL;

    if (load(arena, o, args, asked, &config, &tasks, err) < 0 ||
        (as_run && name_file(arena, o, &tasks, &file, err) < 0))
        return -1;
    if (o->dry_run)
        return print_dry_run(&config, &tasks, err);
    if (!*asked) {
        folder = name_folder(arena, o);
        *asked = folder ? osw_asked_open(folder, false, err) : NULL;
        if (!*asked)
            return folder ? -1 : no_memory(err);
    }
    if (osw_generate_opts_keep(*asked, o, &tasks.campaign, err) < 0)
        return -1;
    return generate(*asked, &config, &tasks, file, err);
}

static int start(struct osw_generate_opts *o, const struct osw_args *args,
                 bool as_run, struct osw_error *err)
{
    int n_ranks = osw_launch_n_ranks((osw_getenv_f)getenv, err), rc;
    osw_asked_t *asked = NULL;
    osw_arena_t *arena;

    if (n_ranks < 0)
        return -1;
    if (n_ranks > 0 && !osw_launch_is_lone((osw_getenv_f)getenv))
        return osw_fail(err, OSW_BAD_INPUT,
                        "start %s without mpirun and srun: it starts its "
                        "campaigns with --ranks ranks itself",
                        as_run ? "run --backend llm" : "generate");
    arena = osw_arena_create();
    rc = arena ? run_with(arena, o, args, as_run, &asked, err) : no_memory(err);
    osw_asked_close(asked);
    osw_arena_destroy(arena);
    return rc;
}

static int generate_run(void *opts, const struct osw_args *args,
                        struct osw_error *err)
{
    return start(opts, args, false, err);
}

static int run_llm_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    return start(opts, args, true, err);
}

extern const struct osw_cmd osw_cmd_generate, osw_cmd_run_llm;
const struct osw_cmd osw_cmd_generate = {
    .name = "generate",
    .topic = "write ops",
    .operands = "[CAMPAIGN.json]",
    .summary =
        "let a model write kernels, judge them, and tell it the verdicts",
    .details =
        "The result is a folder: the chosen kernel of each op, every attempt,\n"
        "a summary.  CAMPAIGN.json may hold these options in an object\n"
        "\"generate\".  Exit codes: 0 every op has a kernel that passes all\n"
        "cells of the last campaign; 1 not so; 2 bad input; 4 stopped, or the\n"
        "money is spent: --resume goes on.\n",
    .max_operands = 1,
    .opts = osw_generate_optv,
    .refused = refused,
    .defaults = &osw_generate_defaults,
    .opts_size = sizeof(osw_generate_defaults),
    .run = generate_run,
};

const struct osw_cmd osw_cmd_run_llm = {
    .name = "run",
    .topic = "judge",
    .operands = "--backend llm [CAMPAIGN.json]",
    .summary = "let a model write kernels, and judge what won into one file",
    .details =
        "As 'opsweep generate'; then the chosen kernel of each op, or the "
        "best\n"
        "where none is right, is judged on all cases as implementation 'llm'.\n"
        "--resume is the folder of the run.  Exit codes as of generate; 3 no\n"
        "op has a kernel that could be judged, and there is no file.\n",
    .max_operands = 1,
    .opts = osw_generate_optv,
    .refused = run_refused,
    .defaults = &osw_generate_defaults,
    .opts_size = sizeof(osw_generate_defaults),
    .run = run_llm_run,
};
