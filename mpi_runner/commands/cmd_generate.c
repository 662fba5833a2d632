/* mpi_runner/commands/cmd_generate.c - opsweep generate: a model writes
 * kernels, and hears what the judge says */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cli/cli.h"
#include "common/json.h"
#include "common/json_out.h"
#include "common/log.h"
#include "common/text.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/generate/confine.h"
#include "mpi_runner/generate/drive.h"
#include "mpi_runner/generate/summary.h"
#include "mpi_runner/generate/template.h"
#include "mpi_runner/ranks/launch.h"

enum { MAX_OPTIONS = 1024 * 1024, MAX_TOKENS = 1000000 };

struct generate_opts {
    struct osw_campaign_opts campaign; /* first: its table is ours too */
    const char *api, *url, *model, *command, *replay, *key_env, *price,
        *templates;
    const char *folder, *run_id, *resume;
    int lang, search;
    uint64_t attempts, width, concurrency, max_tokens;
    double max_cost, holdout, request_timeout;
    bool send_output, dry_run;
};

static const struct generate_opts generate_defaults = {
    .campaign = OSW_CAMPAIGN_DEFAULTS,
    .folder = "generated_kernels",
    .search = OSW_SEARCH_REFINE,
    .attempts = 5,
    .width = 3,
    .concurrency = 4,
    .max_tokens = 16384,
    .holdout = 0.25,
    .request_timeout = 600,
};

#define AT(field) offsetof(struct generate_opts, field)
static const struct osw_opt generate_optv[] = {
    OSW_CAMPAIGN_OPTV,
    {"api", OSW_OPT_STR, AT(api),
     "how the model is asked: anthropic, openai, command or replay [command "
     "with "
     "--model-command, replay with --replay, else anthropic]",
     .value = "NAME", .words = osw_api_name, .topic = "the model"},
    {"model", OSW_OPT_STR, AT(model), "its name, for the APIs of endpoints",
     .value = "NAME", .alias = "llm-model"},
    {"url", OSW_OPT_STR, AT(url),
     "endpoint, up to what the API adds [that of the API's maker]",
     .value = "URL"},
    {"key-env", OSW_OPT_STR, AT(key_env),
     "variable of the environment with the key; only the asking process and "
     "the command of --model-command keep it [ANTHROPIC_API_KEY, "
     "OPENAI_API_KEY]",
     .value = "NAME"},
    {"model-command", OSW_OPT_STR, AT(command),
     "of --api command: the prompt is its standard input, the answer its "
     "standard output",
     .value = "PROGRAM"},
    {"replay", OSW_OPT_STR, AT(replay),
     "of --api replay: folder of the run whose answers are taken",
     .value = "DIR"},
    {"lang", OSW_OPT_CHOICE, AT(lang), "language of the kernels",
     .choices = osw_lang_names},
    {"attempts", OSW_OPT_U64, AT(attempts), "attempts at an op, at most",
     .value = "N", .alias = "max-attempts", .topic = "search"},
    {"llm-attempts", OSW_OPT_U64, AT(attempts), "the same as --attempts",
     .value = "N", .alias = "llm-max-attempts", .expert = true},
    {"search", OSW_OPT_CHOICE, AT(search),
     "best-of: each attempt starts from nothing; refine: after --width of them "
     "the best is improved; population: --width are alive, each is improved "
     "the more often the better it is",
     .choices = osw_search_names},
    {"width", OSW_OPT_U64, AT(width),
     "attempts that start from nothing; of population: candidates that are "
     "alive",
     .value = "N"},
    {"holdout", OSW_OPT_F64, AT(holdout),
     "share of an op's cases that no prompt shows; they are judged in the last "
     "campaign",
     .value = "SHARE"},
    {"concurrency", OSW_OPT_U64, AT(concurrency), "requests at once, at most",
     .value = "N", .topic = "requests and their cost"},
    {"request-timeout", OSW_OPT_F64, AT(request_timeout),
     "seconds that a request may take", .value = "S"},
    {"max-tokens", OSW_OPT_U64, AT(max_tokens),
     "tokens of an answer, at most; money is reserved for them", .value = "N"},
    {"price", OSW_OPT_STR, AT(price),
     "of a million tokens: input, output, read from and written to the "
     "endpoint's cache [0,0]",
     .value = "IN,OUT,READ,WRITE"},
    {"max-cost", OSW_OPT_F64, AT(max_cost),
     "do not begin a request that could exceed this, by --price [no limit]",
     .value = "MONEY"},
    {"templates", OSW_OPT_STR, AT(templates),
     "folder with templates in place of those that are built in [none]",
     .value = "DIR", .topic = "prompts and files"},
    {"send-output", OSW_OPT_FLAG, AT(send_output),
     "feedback has what the code itself wrote: exceptions, prints [no]"},
    {"generated-dir", OSW_OPT_STR, AT(folder),
     "folder in which the run gets a folder", .value = "DIR"},
    {"run-id", OSW_OPT_STR, AT(run_id),
     "the run's folder is called run_ID [date and time]", .value = "ID"},
    {"resume", OSW_OPT_STR, AT(resume),
     "go on with the run of that folder; no answer is asked for again",
     .value = "DIR"},
    {"dry-run", OSW_OPT_FLAG, AT(dry_run),
     "print the first prompt and what the requests could cost, ask nothing"},
    {0},
};
#undef AT

/* What a run decides by itself. */
static const struct osw_refusal refused[] = {
    {"output", "a run has a folder: --generated-dir, --run-id"},
    {"impls", "what is judged is what the model wrote"},
    {"cells", "choose by --ops and the suite"},
    {"kernels-dir", "judge kernels that are there by 'opsweep run'"},
    {"history", "campaigns of a run are small"},
    {0},
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the options");
}

/* --- checks --- */

static int check_range(const char *option, uint64_t v, uint64_t least,
                       uint64_t most, struct osw_error *err)
{
    if (v >= least && v <= most)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--%s': expected %" PRIu64 " to %" PRIu64
                    ", found %" PRIu64,
                    option, least, most, v);
}

static int check_share(const char *option, double v, double least, double most,
                       struct osw_error *err)
{
    if (v >= least && v <= most)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--%s': expected %g to %g, found %g", option, least,
                    most, v);
}

static int check_numbers(const struct generate_opts *o, struct osw_error *err)
{
    return check_range("attempts", o->attempts, 1, OSW_ATTEMPT_MAX, err) < 0 ||
                   check_range("width", o->width, 1, OSW_ATTEMPT_MAX, err) <
                       0 ||
                   check_range("concurrency", o->concurrency, 1,
                               OSW_API_MAX_BUSY, err) < 0 ||
                   check_range("max-tokens", o->max_tokens, 1, MAX_TOKENS,
                               err) < 0 ||
                   check_share("holdout", o->holdout, 0, 0.9, err) < 0 ||
                   check_share("request-timeout", o->request_timeout, 0.1,
                               86400, err) < 0 ||
                   check_share("max-cost", o->max_cost, 0, 1e9, err) < 0
               ? -1
               : 0;
}

static int check_together(const struct osw_args *args, struct osw_error *err)
{
    if (osw_args_given(args, "resume") && osw_args_given(args, "run-id"))
        return osw_fail(err, OSW_BAD_INPUT,
                        "options '--resume' and '--run-id': expected one of "
                        "them");
    return 0;
}

static int check_run_id(const char *id, struct osw_error *err)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";

    if (!id || (*id && strlen(id) <= 64 && strspn(id, allowed) == strlen(id)))
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--run-id': expected 1 to 64 letters, digits, '_', "
                    "'-' and '.', found '%.80s'",
                    id);
}

/* The variable with the key must not be handed on to op code. */
static int check_key(const char *name, struct osw_error *err)
{
    const char *passed = getenv("OPSWEEP_PASS_ENV"), *at = passed;
    size_t n = name ? strlen(name) : 0;

    if (name && !getenv(name))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--key-env': the environment has no '%s'",
                        name);
    while (name && at && (at = strstr(at, name))) {
        if ((at == passed || at[-1] == ',') && (at[n] == ',' || !at[n]))
            return osw_fail(err, OSW_BAD_INPUT,
                            "OPSWEEP_PASS_ENV names '%s', the variable of "
                            "'--key-env': op code would get the key",
                            name);
        at++;
    }
    return 0;
}

static int check_lang(const struct osw_lang *lang, const char *device,
                      struct osw_error *err)
{
    if (!lang->device || strcmp(lang->device, device) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--lang %s' is for '--device %s', found device "
                    "'%s'",
                    lang->name, lang->device, device);
}

/* --- options of a run, kept for --resume --- */

static const char options_name[] = "options.json",
                  campaign_name[] = "campaign.json";

/* Rows of a run itself that are kept. */
static bool is_kept(const struct osw_opt *opt)
{
    static const char *const not_kept[] = {"resume", "run-id", "dry-run",
                                           "generated-dir", "llm-attempts"};

    if (opt->offset < sizeof(struct osw_campaign_opts))
        return false;
    for (size_t i = 0; i < sizeof(not_kept) / sizeof(not_kept[0]); i++)
        if (strcmp(opt->name, not_kept[i]) == 0)
            return false;
    return true;
}

static int keep_options(osw_store_t *store, const struct generate_opts *o,
                        const struct osw_campaign *c, struct osw_error *err)
{
    struct osw_text text = OSW_TEXT_INIT, value = OSW_TEXT_INIT;
    struct osw_json_out out = osw_json_out(&text);
    int rc;

    osw_json_out_object(&out, NULL);
    for (const struct osw_opt *opt = generate_optv; opt->name; opt++) {
        if (!is_kept(opt))
            continue;
        osw_text_reset(&value);
        osw_opt_print(opt, o, &value);
        if (value.used)
            osw_json_out_str(&out, opt->name, osw_text_str(&value));
    }
    osw_json_out_end(&out);
    rc = osw_text_str(&text)
             ? osw_store_put(store, options_name, osw_text_str(&text),
                             text.used, err)
             : no_memory(err);
    osw_text_reset(&text);
    osw_campaign_dump(c, &text);
    if (rc == 0)
        rc = osw_text_str(&text)
                 ? osw_store_put(store, campaign_name, osw_text_str(&text),
                                 text.used, err)
                 : no_memory(err);
    osw_text_free(&text);
    osw_text_free(&value);
    return rc;
}

/* What was not given this time is as it was. */
static int read_options(osw_arena_t *arena, const char *text, size_t n,
                        const struct osw_args *args, struct generate_opts *o,
                        struct osw_error *err)
{
    osw_json_t *root = osw_json_parse(text, n, options_name, err);
    int rc = root ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < osw_json_size(root); i++) {
        const osw_json_t *v = osw_json_at(root, i);
        const struct osw_opt *opt =
            osw_opt_find(generate_optv, osw_json_key(v));
        const char *word = "";

        if (!opt || !is_kept(opt)) {
            rc = osw_json_fail(v, err, "unknown option");
        } else if (osw_args_given(args, opt->name) ||
                   (strcmp(opt->name, "attempts") == 0 &&
                    osw_args_given(args, "llm-attempts"))) {
            continue;
        } else if (osw_json_str(v, &word, err) < 0) {
            rc = -1;
        } else {
            word = osw_arena_strdup(arena, word);
            rc = word ? osw_opt_set(opt, o, word, err) : no_memory(err);
        }
    }
    osw_json_free(root);
    return rc;
}

static int take_options(osw_arena_t *arena, osw_store_t *store,
                        const struct osw_args *args, struct generate_opts *o,
                        struct osw_error *err)
{
    char *text = NULL;
    size_t n;
    int rc = osw_store_get(store, options_name, MAX_OPTIONS, &text, &n, err);

    if (rc == 0)
        rc = read_options(arena, text, n, args, o, err);
    free(text);
    text = NULL;
    if (rc == 0)
        rc = osw_store_get(store, campaign_name, MAX_OPTIONS, &text, &n, err);
    if (rc == 0)
        rc = osw_campaign_read(arena, campaign_name, text, n, args,
                               &o->campaign, err);
    free(text);
    return rc;
}

/* --- the command --- */

static int configure(const struct generate_opts *o,
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
    };
    if (check_numbers(o, err) < 0 ||
        osw_api_check(config->api, &config->api_config, err) < 0 ||
        osw_price_parse(o->price, &config->price, err) < 0 ||
        check_key(o->key_env, err) < 0 ||
        (o->templates && osw_template_check(o->templates, err) < 0))
        return -1;
    if (o->max_cost > 0 && !o->price)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--max-cost' needs '--price'");
    return 0;
}

static const char *name_folder(osw_arena_t *arena,
                               const struct generate_opts *o)
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

static int generate(osw_store_t *store, struct osw_drive_config *config,
                    const struct osw_tasks *tasks, struct osw_error *err)
{
    struct osw_drive_result result = {.ops = NULL};
    struct osw_text text = OSW_TEXT_INIT;
    bool all_right = true;
    int rc;

    if (osw_generate_confine_lacks())
        osw_log(OSW_LOG_WARNING,
                "generated code may read what you can, and what it reads may "
                "reach the model: %s",
                osw_generate_confine_lacks());
    config->api_config.run = osw_store_folder(store);
    config->n_stop = osw_launch_count_stops();
    rc = osw_drive_run(config, tasks, store, &result, err);
    if (rc == 0)
        rc = osw_generate_summary_write(config, tasks, store, &result, err);
    for (size_t i = 0; rc == 0 && i < tasks->n; i++)
        all_right = all_right && result.ops[i].chosen >= 0;
    if (rc == 0) {
        osw_generate_summary_add(config, tasks, store, &result, &text);
        printf("%s", osw_text_str(&text) ? osw_text_str(&text) : "");
        rc = osw_status_exit_code(result.out_of_money ? OSW_INCOMPLETE
                                  : all_right         ? OSW_OK
                                                      : OSW_FAILED);
    }
    osw_text_free(&text);
    free(result.ops);
    return rc;
}

static int run_with(osw_arena_t *arena, struct generate_opts *o,
                    const struct osw_args *args, osw_store_t **store,
                    struct osw_error *err)
{
    struct osw_drive_config config;
    struct osw_tasks tasks;
    const char *folder;

    if (o->resume) {
        *store = osw_store_open(o->resume, true, err);
        if (!*store || take_options(arena, *store, args, o, err) < 0)
            return -1;
    }
    if (configure(o, &config, err) < 0 ||
        osw_tasks_load(arena, &o->campaign, args, o->holdout, &tasks, err) <
            0 ||
        check_lang(config.lang, tasks.campaign.device, err) < 0)
        return -1;
    config.rules.seed = tasks.campaign.seed;
    if (tasks.n_left_out > 0)
        osw_log(OSW_LOG_WARNING,
                "%zu op%s left out: without a folder of their own, or without "
                "a case that can be judged here",
                tasks.n_left_out, osw_plural(tasks.n_left_out));
    if (o->dry_run)
        return print_dry_run(&config, &tasks, err);
    if (!*store) {
        folder = name_folder(arena, o);
        *store = folder ? osw_store_open(folder, false, err) : NULL;
        if (!*store)
            return folder ? -1 : no_memory(err);
    }
    if (keep_options(*store, o, &tasks.campaign, err) < 0)
        return -1;
    return generate(*store, &config, &tasks, err);
}

static int generate_run(void *opts, const struct osw_args *args,
                        struct osw_error *err)
{
    struct generate_opts *o = opts;
    osw_arena_t *arena;
    osw_store_t *store = NULL;
    int rc, n_ranks;

    if (check_together(args, err) < 0 || check_run_id(o->run_id, err) < 0)
        return -1;
    n_ranks = osw_launch_n_ranks((osw_getenv_f)getenv, err);
    if (n_ranks < 0)
        return -1;
    if (n_ranks > 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "start generate without mpirun and srun: it starts its "
                        "campaigns with --ranks ranks itself");
    arena = osw_arena_create();
    rc = arena ? run_with(arena, o, args, &store, err) : no_memory(err);
    osw_store_close(store);
    osw_arena_destroy(arena);
    return rc;
}

extern const struct osw_cmd osw_cmd_generate;
const struct osw_cmd osw_cmd_generate = {
    .name = "generate",
    .topic = "write ops",
    .operands = "[CAMPAIGN.json]",
    .summary =
        "let a model write kernels, judge them, and tell it the verdicts",
    .details =
        "The result is a folder: the chosen kernel of each op, every attempt,\n"
        "a summary.  Exit codes: 0 every op has a kernel that passes all "
        "cells\n"
        "of the last campaign; 1 not so; 2 bad input; 4 stopped, or the money\n"
        "is spent: --resume goes on.\n",
    .min_operands = 0,
    .max_operands = 1,
    .opts = generate_optv,
    .refused = refused,
    .defaults = &generate_defaults,
    .opts_size = sizeof(generate_defaults),
    .run = generate_run,
};
