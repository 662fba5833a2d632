/* results/report/command.c - the command line that runs one cell alone */
#include "results/report/command.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/decimal.h"
#include "common/json.h"
#include "common/paths.h"
#include "ops/cases/limits.h"

static void add_word(struct osw_text *t, const char *word)
{
    osw_text_add(t, " ");
    osw_text_add_shell(t, word);
}

static void add_option(struct osw_text *t, const char *flag, const char *value)
{
    osw_text_add(t, " --");
    osw_text_add(t, flag);
    add_word(t, value);
}

/* How a key of the campaign gets into the command. */
enum way {
    VALUE,   /* as an option, unless it is empty, 0 or false */
    LIBRARY, /* so, if it is another one than is found here, and is here */
    WORK,    /* so, unless the profile has that limit anyway */
    BYTES,   /* so, unless the device or the node sets that limit */
    CELL,    /* the cell has it: osw_command_cell() and what follows it */
    NOT,     /* it chooses cells, or says how they are spread over ranks */
};

/* One row for each key.  To add an option of campaigns, say here what becomes
 * of it.
 */
static const struct carried {
    const char *key, *option;
    enum way way;
} carried[] = {
    /* clang-format off */
    { "suite",           "suite",           VALUE },
    { "backend",         "backend",         VALUE },
    { "custom_ops_root", "custom-ops-root", VALUE },
    { "ops_root",        "custom-ops-root", VALUE },
    { "kernels_dir",     "kernels-dir",     VALUE },
    { "library",         "library",         LIBRARY },
    { "python",          "python",          VALUE },
    { "baseline",        "baseline",        VALUE },
    { "device",          "device",          VALUE },
    { "profile",         "profile",         VALUE },
    { "cold",            "cold",            VALUE },
    { "signed_zero",     "signed-zero",     VALUE },
    { "max_bytes",       "max-bytes",       BYTES },
    { "max_work",        "max-work",        WORK },
    { "max_rss",         "max-rss",         VALUE },
    { "timeout",         "timeout",         VALUE },
    { "keep_going",      "keep-going",      VALUE },
    { "threads",         "threads",         VALUE },
    { "share_gpus",      "share-gpus",      VALUE },
    { "ops",             NULL,              CELL },
    { "impls",           NULL,              CELL },
    { "case",            NULL,              CELL },
    { "fill",            NULL,              CELL },
    { "offset",          NULL,              CELL }, /* in its case */
    { "cells",           NULL,              CELL },
    { "seed",            NULL,              CELL },
    { "traces",          NULL,              NOT },
    { "top",             NULL,              NOT },
    { "top_by",          NULL,              NOT },
    { "opinfo_dtype",    NULL,              NOT },
    { "ops_yaml",        NULL,              NOT },
    { "history",         NULL,              NOT },
    { "ranks",           NULL,              NOT },
    { "output",          NULL,              NOT },
    /* clang-format on */
};

enum { N_CARRIED = sizeof(carried) / sizeof(carried[0]) };

bool osw_command_knows(const char *key, const char **option)
{
    for (size_t i = 0; i < N_CARRIED; i++) {
        if (strcmp(carried[i].key, key) != 0)
            continue;
        *option = carried[i].option;
        return true;
    }
    return false;
}

static const char *text_at(const osw_json_t *campaign, const char *key)
{
    const osw_json_t *v = osw_json_get(campaign, key);
    const char *text = "";

    return osw_json_kind(v) == OSW_JSON_STR && osw_json_str(v, &text, NULL) == 0
               ? text
               : "";
}

/* What the node had free is recorded like a limit that was asked for. */
static bool asks_for_bytes(const struct osw_file_run *run)
{
    return (run->command_line && strstr(run->command_line, "--max-bytes")) ||
           (run->campaign_json && strstr(run->campaign_json, "\"max_bytes\""));
}

/* Does it hold without the option? */
static bool holds_anyway(const struct osw_file_run *run,
                         const osw_json_t *campaign, enum way way, double v)
{
    uint64_t bytes = osw_limits_bytes(text_at(campaign, "device"));

    if (way == WORK)
        return v == osw_limits_work_s(text_at(campaign, "profile"));
    if (way == BYTES)
        return bytes ? v == (double)bytes : !asks_for_bytes(run);
    return false;
}

static void add_number(struct osw_text *out, const struct osw_file_run *run,
                       const osw_json_t *campaign, const struct carried *c,
                       const osw_json_t *v)
{
    char word[OSW_DECIMAL_MAX];
    uint64_t n = 0;
    double x = 0;

    if (osw_json_f64(v, &x, NULL) < 0 || x == 0 ||
        holds_anyway(run, campaign, c->way, x))
        return;
    if (osw_json_kind(v) == OSW_JSON_INT && osw_json_u64(v, &n, NULL) == 0)
        osw_decimal_u64(word, n);
    else
        osw_decimal_shortest(word, x);
    add_option(out, c->option, word);
}

/* A library of another machine: the one that is here, as with --rerun. */
static bool is_found_here(const char *library)
{
    const char *here = osw_paths_library_dir(NULL);

    return access(library, R_OK) < 0 || (here && strcmp(here, library) == 0);
}

static void add_carried(struct osw_text *out, const struct osw_file_run *run,
                        const osw_json_t *campaign, const struct carried *c)
{
    const osw_json_t *v = osw_json_get(campaign, c->key);
    const char *text = text_at(campaign, c->key);
    bool on = false;

    switch (osw_json_kind(v)) {
    case OSW_JSON_STR:
        if (*text && (c->way != LIBRARY || !is_found_here(text)))
            add_option(out, c->option, text);
        break;
    case OSW_JSON_BOOL:
        if (osw_json_bool(v, &on, NULL) == 0 && on)
            osw_text_printf(out, " --%s", c->option);
        break;
    case OSW_JSON_INT:
    case OSW_JSON_FLOAT:
        add_number(out, run, campaign, c, v);
        break;
    default:
        break;
    }
}

int osw_command_begin(const struct osw_file_run *run, struct osw_text *out,
                      struct osw_error *err)
{
    osw_json_t *campaign =
        osw_json_parse(run->campaign_resolved, strlen(run->campaign_resolved),
                       "/campaign/resolved", err);

    if (!campaign)
        return -1;
    osw_text_add(out, "opsweep run");
    for (size_t i = 0; i < N_CARRIED; i++)
        if (carried[i].option)
            add_carried(out, run, campaign, &carried[i]);
    osw_json_free(campaign);
    return 0;
}

void osw_command_cell(const char *op, const char *impl, const char *case_text,
                      const char *fill, struct osw_text *out)
{
    const char *const options[][2] = {
        {"ops", op}, {"impls", impl}, {"case", case_text}, {"fill", fill}};

    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
        if (*options[i][1])
            add_option(out, options[i][0], options[i][1]);
}

void osw_command_world(uint32_t world, uint64_t cell_key, struct osw_text *out)
{
    if (world > 1)
        osw_text_printf(out, " -n %" PRIu32 " --cells 0x%016" PRIx64, world + 1,
                        cell_key);
}

void osw_command_end(const struct osw_file_run *run, struct osw_text *out)
{
    osw_text_printf(out, " --seed %" PRIu64 " -o cell.h5", run->seed);
}
