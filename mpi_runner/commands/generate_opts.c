/* mpi_runner/commands/generate_opts.c - the options of `opsweep generate`, and
 * of `opsweep run --backend llm` */
#include "mpi_runner/commands/generate_opts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/json.h"
#include "common/json_out.h"
#include "common/suggest.h"
#include "mpi_runner/campaign/campaign_dump.h"
#include "mpi_runner/campaign/campaign_read.h"
#include "mpi_runner/generate/ask/api.h"
#include "mpi_runner/generate/search.h"
#include "mpi_runner/generate/template.h"

enum { MAX_OPTIONS = 1024 * 1024, MAX_TOKENS = 1000000 };

const struct osw_generate_opts osw_generate_defaults = {
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

#define AT(field) offsetof(struct osw_generate_opts, field)
const struct osw_opt osw_generate_optv[] = {
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
     .choices = osw_lang_names, .alias = "dsl"},
    {"attempts", OSW_OPT_U64, AT(attempts), "attempts at an op, at most",
     .value = "N", .least = 1, .most = OSW_ATTEMPT_MAX, .alias = "max-attempts",
     .topic = "search"},
    {"llm-attempts", OSW_OPT_U64, AT(attempts), "the same as --attempts",
     .value = "N", .least = 1, .most = OSW_ATTEMPT_MAX,
     .alias = "llm-max-attempts", .expert = true},
    {"search", OSW_OPT_CHOICE, AT(search),
     "best-of: each attempt starts from nothing; refine: after --width of them "
     "the best is improved; population: --width are alive, each is improved "
     "the more often the better it is",
     .choices = osw_search_names},
    {"width", OSW_OPT_U64, AT(width),
     "attempts that start from nothing; of population: candidates that are "
     "alive",
     .value = "N", .least = 1, .most = OSW_ATTEMPT_MAX},
    {"holdout", OSW_OPT_F64, AT(holdout),
     "share of an op's cases that no prompt shows; they are judged in the last "
     "campaign",
     .value = "SHARE", .high = 0.9},
    {"concurrency", OSW_OPT_U64, AT(concurrency), "requests at once, at most",
     .value = "N", .least = 1, .most = OSW_API_MAX_BUSY,
     .topic = "requests and their cost"},
    {"request-timeout", OSW_OPT_F64, AT(request_timeout),
     "seconds that a request may take", .value = "S", .low = 0.1,
     .high = 86400},
    {"max-tokens", OSW_OPT_U64, AT(max_tokens),
     "tokens of an answer, at most; money is reserved for them", .value = "N",
     .least = 1, .most = MAX_TOKENS},
    {"price", OSW_OPT_STR, AT(price),
     "of a million tokens: input, output, read from and written to the "
     "endpoint's cache [0,0]",
     .value = "IN,OUT,READ,WRITE"},
    {"max-cost", OSW_OPT_F64, AT(max_cost),
     "do not begin a request that could exceed this, by --price [no limit]",
     .value = "MONEY", .high = 1e9},
    {"templates", OSW_OPT_STR, AT(templates),
     "folder with templates in place of those that are built in [none]",
     .value = "DIR", .topic = "prompts and files"},
    {"send-output", OSW_OPT_FLAG, AT(send_output),
     "feedback has what the code itself wrote: exceptions, prints [no]"},
    {"no-sanitizer", OSW_OPT_FLAG, AT(no_sanitizer),
     "feedback of crashes lacks what compute-sanitizer or valgrind says, which "
     "takes 20 s or more each [no]"},
    {"no-profiler", OSW_OPT_FLAG, AT(no_profiler),
     "feedback of right CUDA code lacks what ncu measures, which takes up to a "
     "minute each [no]"},
    {"unisolated-tools", OSW_OPT_FLAG, AT(unisolated_tools),
     "compute-sanitizer and ncu run generated code without isolation, else "
     "they cannot watch it [no]"},
    {"generated-dir", OSW_OPT_STR, AT(folder),
     "folder in which the run gets a folder", .value = "DIR",
     .alias = "log-dir"},
    {"run-id", OSW_OPT_STR, AT(run_id),
     "the run's folder is called run_ID [date and time]", .value = "ID"},
    {"resume", OSW_OPT_STR, AT(resume),
     "go on with the run of that folder; no answer is asked for again",
     .value = "DIR"},
    {"force", OSW_OPT_FLAG, AT(force),
     "replace a result file that is there [no]", .letter = 'f'},
    {"dry-run", OSW_OPT_FLAG, AT(dry_run),
     "print the first prompt and what the requests could cost, ask nothing"},
    {0},
};
#undef AT

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the options");
}

/* --- checks --- */

static int check_together(const struct osw_args *args, struct osw_error *err)
{
    static const char *const pairs[][2] = {{"resume", "run-id"},
                                           {"replay", "model-command"},
                                           {"attempts", "llm-attempts"}};

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (osw_args_given(args, pairs[i][0]) &&
            osw_args_given(args, pairs[i][1]))
            return osw_fail(err, OSW_BAD_INPUT,
                            "options '--%s' and '--%s': expected one of them",
                            pairs[i][0], pairs[i][1]);
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

int osw_generate_opts_check_lang(const struct osw_lang *lang,
                                 const char *device, struct osw_error *err)
{
    /* The tests' device runs what a processor does. */
    const char *kind = strcmp(device, "twin") == 0 ? "cpu" : device;

    if (!lang->device || strcmp(lang->device, kind) == 0)
        return 0;
    return osw_fail(err, OSW_BAD_INPUT,
                    "option '--lang %s' is for '--device %s', found device "
                    "'%s'",
                    lang->name, lang->device, device);
}

int osw_generate_opts_check(const struct osw_generate_opts *o,
                            const struct osw_args *args, struct osw_error *err)
{
    if (check_together(args, err) < 0 || check_run_id(o->run_id, err) < 0 ||
        check_key(o->key_env, err) < 0 ||
        (o->templates && osw_template_check(o->templates, err) < 0))
        return -1;
    return o->max_cost > 0 && !o->price
               ? osw_fail(err, OSW_BAD_INPUT,
                          "option '--max-cost' needs '--price'")
               : 0;
}

/* --- options of a run, kept for --resume --- */

static const char options_name[] = "options.json",
                  campaign_name[] = "campaign.json";

/* Rows of a run itself that are kept. */
static bool is_kept(const struct osw_opt *opt)
{
    static const char *const not_kept[] = {"resume",       "run-id",
                                           "dry-run",      "generated-dir",
                                           "llm-attempts", "force"};

    if (opt->offset < sizeof(struct osw_campaign_opts))
        return false;
    for (size_t i = 0; i < sizeof(not_kept) / sizeof(not_kept[0]); i++)
        if (strcmp(opt->name, not_kept[i]) == 0)
            return false;
    return true;
}

static void print_options(const struct osw_generate_opts *o,
                          struct osw_text *out)
{
    struct osw_text value = OSW_TEXT_INIT;
    struct osw_json_out json = osw_json_out(out);

    osw_json_out_object(&json, NULL);
    for (const struct osw_opt *opt = osw_generate_optv; opt->name; opt++) {
        if (!is_kept(opt))
            continue;
        osw_text_reset(&value);
        osw_opt_print(opt, o, &value);
        if (value.used)
            osw_json_out_str(&json, opt->name, osw_text_str(&value));
    }
    osw_json_out_end(&json);
    osw_text_free(&value);
}

static int put_text(osw_asked_t *asked, const char *name, struct osw_text *text,
                    struct osw_error *err)
{
    int rc = osw_text_str(text) ? osw_asked_put(asked, name, osw_text_str(text),
                                                text->used, err)
                                : no_memory(err);

    osw_text_free(text);
    return rc;
}

/* The options last: where they are, the run can be gone on with. */
int osw_generate_opts_keep(osw_asked_t *asked,
                           const struct osw_generate_opts *o,
                           const struct osw_campaign *c, struct osw_error *err)
{
    struct osw_text campaign = OSW_TEXT_INIT, options = OSW_TEXT_INIT;

    osw_campaign_dump(c, &campaign);
    if (put_text(asked, campaign_name, &campaign, err) < 0)
        return -1;
    print_options(o, &options);
    return put_text(asked, options_name, &options, err);
}

/* A value as it would stand on the command line. */
static const char *word_of(osw_arena_t *arena, const osw_json_t *v,
                           struct osw_error *err)
{
    const char *text = NULL;
    bool flag = false;
    int64_t i = 0;
    double d = 0;
    int rc = 0;

    switch (osw_json_kind(v)) {
    case OSW_JSON_STR:
        rc = osw_json_str(v, &text, err);
        text = rc == 0 ? osw_arena_strdup(arena, text) : NULL;
        break;
    case OSW_JSON_BOOL:
        rc = osw_json_bool(v, &flag, err);
        text = flag ? "true" : "false";
        break;
    case OSW_JSON_INT:
        rc = osw_json_i64(v, &i, err);
        text = osw_arena_printf(arena, "%" PRId64, i);
        break;
    case OSW_JSON_FLOAT:
        rc = osw_json_f64(v, &d, err);
        text = osw_arena_printf(arena, "%.17g", d);
        break;
    default:
        rc = osw_json_fail(v, err,
                           "expected a string, a number or a boolean, "
                           "found %s",
                           osw_json_kind_name(osw_json_kind(v)));
    }
    if (rc == 0 && !text)
        no_memory(err);
    return rc == 0 ? text : NULL;
}

/* The row of a key, with _ for -; NULL: none that is kept. */
static const struct osw_opt *row_of(const char *key)
{
    char name[64];
    size_t i;
    const struct osw_opt *opt;

    for (i = 0; key[i] && i < sizeof(name) - 1; i++)
        name[i] = key[i] == '_' ? '-' : key[i];
    name[i] = '\0';
    opt = osw_opt_find(osw_generate_optv, name);
    return opt && is_kept(opt) ? opt : NULL;
}

static int set_option(osw_arena_t *arena, const osw_json_t *v,
                      const struct osw_opt *opt, struct osw_generate_opts *o,
                      struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *word = word_of(arena, v, err);

    if (!word)
        return -1;
    return osw_opt_set(opt, o, word, &why) < 0
               ? osw_json_fail(v, err, "%s", why.text)
               : 0;
}

static int refuse_option(const osw_json_t *v, struct osw_error *err)
{
    const char *names[OSW_OPT_MAX_ROWS];
    char hint[OSW_SUGGEST_HINT];
    size_t n = 0;

    for (const struct osw_opt *o = osw_generate_optv; o->name; o++)
        names[n++] = o->name;
    return osw_json_fail(
        v, err, "unknown option%s",
        osw_suggest_hint(osw_suggest(osw_json_key(v), names, n), hint));
}

/* What was not given this time is as it is there. */
static int read_object(osw_arena_t *arena, const osw_json_t *object,
                       const struct osw_args *args, struct osw_generate_opts *o,
                       struct osw_error *err)
{
    int rc = osw_json_expect(object, OSW_JSON_OBJECT, err);

    for (size_t i = 0; rc == 0 && i < osw_json_size(object); i++) {
        const osw_json_t *v = osw_json_at(object, i);
        const struct osw_opt *opt = row_of(osw_json_key(v));
        bool given = opt && (osw_args_given(args, opt->name) ||
                             (strcmp(opt->name, "attempts") == 0 &&
                              osw_args_given(args, "llm-attempts")));

        if (!opt)
            rc = refuse_option(v, err);
        else if (!given)
            rc = set_option(arena, v, opt, o, err);
    }
    return rc;
}

static int read_options(osw_arena_t *arena, const char *text, size_t n,
                        const struct osw_args *args,
                        struct osw_generate_opts *o, struct osw_error *err)
{
    osw_json_t *root = osw_json_parse(text, n, options_name, err);
    int rc = root ? read_object(arena, root, args, o, err) : -1;

    osw_json_free(root);
    return rc;
}

int osw_generate_opts_read(osw_arena_t *arena, const struct osw_args *args,
                           struct osw_generate_opts *o, struct osw_error *err)
{
    osw_json_t *root;
    int rc;

    if (args->n_operands == 0)
        return 0;
    root = osw_json_load_file(args->operands[0], err);
    rc = root ? read_object(arena, osw_json_get(root, "generate"), args, o, err)
              : -1;
    osw_json_free(root);
    return rc;
}

int osw_generate_opts_take(osw_arena_t *arena, const osw_asked_t *asked,
                           const struct osw_args *args,
                           struct osw_generate_opts *o, struct osw_error *err)
{
    char *text = NULL;
    size_t n;
    int rc = osw_asked_get(asked, options_name, MAX_OPTIONS, &text, &n, err);

    if (rc == 0)
        rc = read_options(arena, text, n, args, o, err);
    free(text);
    text = NULL;
    if (rc == 0)
        rc = osw_asked_get(asked, campaign_name, MAX_OPTIONS, &text, &n, err);
    if (rc == 0)
        rc = osw_campaign_read(arena, campaign_name, text, n, args,
                               &o->campaign, err);
    free(text);
    return rc;
}
