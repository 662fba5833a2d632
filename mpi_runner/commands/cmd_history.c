/* mpi_runner/commands/cmd_history.c - opsweep history: what changed, and since
 * when */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/cli/cli.h"
#include "common/text.h"
#include "common/whole_file.h"
#include "mpi_runner/commands/fail_on.h"
#include "mpi_runner/commands/result_files.h"
#include "results/history/history.h"

struct history_opts {
    double threshold, max_shift, min_common;
    const char *baseline, *known, *date, *cell, *format, *output, *fail_on;
    uint64_t last, limit;
    bool skip_bad;
};

static const struct history_opts history_defaults = {
    .threshold = 2,
    .max_shift = 5,
    .min_common = 50,
    .format = "text",
    .fail_on = "newly-failing,gone,regressed,drifted,shift",
    .limit = 20,
};

static const char *format_word(size_t i)
{
    const struct osw_history_format *format = osw_history_format_at(i);

    return format ? format->name : NULL;
}

#define AT(field) offsetof(struct history_opts, field)
/* clang-format off */
static const struct osw_opt history_optv[] = {
    { "baseline", OSW_OPT_STR, AT(baseline),
      "a campaign to hold the newest ones against: finds slow drifts",
      .value = "FILE", .topic = "what is looked at" },
    { "known", OSW_OPT_STR, AT(known),
      "known failures and accepted steps, each with reason and expiry date",
      .value = "FILE" },
    { "date", OSW_OPT_STR, AT(date),
      "the day by which entries of --known expire [today, UTC]",
      .value = "YYYY-MM-DD", .expert = true },
    { "cell", OSW_OPT_STR, AT(cell),
      "only OP/IMPL or OP/IMPL/CASE; * and ? stand for any characters [all]",
      .value = "PATTERN" },
    { "last", OSW_OPT_U64, AT(last), "only the newest N campaigns [all]",
      .value = "N", .least = 1 },
    { "skip-bad", OSW_OPT_FLAG, AT(skip_bad),
      "name files that cannot be read, and go on without them" },
    { "format", OSW_OPT_STR, AT(format), "", .letter = 'f', .value = "NAME",
      .words = format_word, .topic = "output" },
    { "output", OSW_OPT_STR, AT(output), "write there [standard output]",
      .letter = 'o', .value = "FILE" },
    { "limit", OSW_OPT_U64, AT(limit), "findings named of each kind",
      .value = "N" },
    { "threshold", OSW_OPT_F64, AT(threshold),
      "least change of a time that counts, in percent", .value = "P",
      .topic = "what counts as a change" },
    { "max-shift", OSW_OPT_F64, AT(max_shift),
      "most by which all cells together may get slower, in percent",
      .value = "P" },
    { "min-common", OSW_OPT_F64, AT(min_common),
      "least share of the cells judged before that the newest campaign must "
      "have, in percent", .value = "P" },
    { "fail-on", OSW_OPT_STR, AT(fail_on),
      "kinds of findings that make the exit code 1, or none",
      .value = "A,B" },
    {0},
};
/* clang-format on */
#undef AT

static const char *kind_name(int k)
{
    return k < OSW_HISTORY_N_KINDS ? osw_history_name((enum osw_history_kind)k)
                                   : NULL;
}

static int check(const struct history_opts *o, unsigned *fail_on,
                 struct osw_error *err)
{
    if (o->date && !osw_known_failures_is_date(o->date))
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--date': expected a day such as 2026-12-31, "
                        "found '%s'",
                        o->date);
    if (o->cell && !*o->cell)
        return osw_fail(err, OSW_BAD_INPUT,
                        "option '--cell': expected OP/IMPL or OP/IMPL/CASE, "
                        "found ''");
    if (osw_fail_on_range("threshold", o->threshold, 0, 1000, err) < 0 ||
        osw_fail_on_range("max-shift", o->max_shift, 0, 1000, err) < 0 ||
        osw_fail_on_range("min-common", o->min_common, 0, 100, err) < 0)
        return -1;
    return osw_fail_on_parse(o->fail_on, kind_name, fail_on, err);
}

/* --- */

static int add(osw_history_t *h, const char *path, bool pinned,
               struct osw_error *err)
{
    osw_file_t *file = osw_file_open(path, err);
    int rc = file ? osw_history_add(h, file, pinned, err) : -1;

    osw_file_close(file);
    return rc;
}

/* `left`: what --skip-bad left out, for the case that too little remains. */
static int add_all(osw_history_t *h, const struct osw_result_files *files,
                   const struct history_opts *o, struct osw_text *left,
                   struct osw_error *err)
{
    for (size_t i = 0; i < files->n_twice; i++)
        if (osw_history_note(h, err, "'%s' is named twice: it counts once",
                             files->twice[i]) < 0)
            return -1;
    if (o->baseline && add(h, o->baseline, true, err) < 0)
        return -1;
    for (size_t i = 0; i < files->n; i++) {
        struct osw_error why = OSW_ERROR_INIT;

        if (add(h, files->paths[i], false, &why) == 0)
            continue;
        if (!o->skip_bad || why.status != OSW_BAD_INPUT)
            return osw_fail(err, why.status, "%s%s", why.text,
                            why.status == OSW_BAD_INPUT && files->n > 2
                                ? "; --skip-bad goes on without it"
                                : "");
        if (osw_history_note(h, err, "left out: %s", why.text) < 0)
            return -1;
        osw_text_printf(left, "; left out: %s", why.text);
    }
    return 0;
}

static const char *today(char text[OSW_KNOWN_FAILURES_DATE])
{
    time_t now = time(NULL);
    struct tm tm;

    if (!gmtime_r(&now, &tm) ||
        !strftime(text, OSW_KNOWN_FAILURES_DATE, "%Y-%m-%d", &tm))
        strcpy(text, "1970-01-01");
    return text;
}

/* With no or too few common cells, history must not succeed. */
static int check_common(const osw_history_t *h, const struct history_opts *o,
                        const char *left, struct osw_error *err)
{
    const struct osw_history_view v = osw_history_view(h);
    const struct osw_history_campaign *newest;

    if (v.n_campaigns < 2)
        return osw_fail(err, OSW_NOTHING,
                        "expected two campaigns and more (or one and "
                        "--baseline), found %zu%s",
                        v.n_campaigns, left);
    if (o->cell && v.n_judged == 0)
        return osw_fail(err, OSW_NOTHING,
                        "option '--cell': no judged cell of the campaigns "
                        "before the newest matches '%s', expected OP/IMPL or "
                        "OP/IMPL/CASE",
                        o->cell);
    newest = &v.campaigns[v.n_campaigns - 1];
    if (newest->n_judged == 0)
        return osw_fail(err, OSW_NOTHING, "'%s' has no judged cell",
                        osw_history_word(h, newest->path));
    if (v.n_judged == 0)
        return osw_fail(err, OSW_NOTHING,
                        "no cell was judged before '%s', the newest campaign, "
                        "on the same model of device",
                        osw_history_word(h, newest->path));
    if (v.n_common > 0 &&
        (!v.complete ||
         100 * (double)v.n_common >= o->min_common * (double)v.n_judged))
        return 0; /* of one that is incomplete more may come */
    return osw_fail(err, OSW_NOTHING,
                    "%zu of the %zu cell%s judged before %s in the newest "
                    "campaign, '%s', on the same model of device, expected "
                    "%g %% of them (--min-common)",
                    v.n_common, v.n_judged, osw_plural(v.n_judged),
                    v.n_common == 1 ? "is" : "are",
                    osw_history_word(h, newest->path), o->min_common);
}

static int write_to(const osw_history_t *h, const struct history_opts *o,
                    struct osw_error *err)
{
    const struct osw_history_format *format =
        osw_history_format_find(o->format);
    struct osw_whole_file out;
    int rc = osw_whole_file_open(&out, o->output, err);

    if (rc == 0)
        rc = osw_whole_file_close(
            &out, format->write(h, o->limit, out.file, err), err);
    return rc;
}

static int outcome(const osw_history_t *h, unsigned fail_on)
{
    const struct osw_history_view v = osw_history_view(h);

    for (int k = 0; k < OSW_HISTORY_N_KINDS; k++)
        if (fail_on >> k & 1 && v.n_kind[k] > 0)
            return osw_status_exit_code(OSW_FAILED);
    return v.complete ? 0 : osw_status_exit_code(OSW_INCOMPLETE);
}

static int follow(osw_history_t *h, const struct osw_result_files *files,
                  const struct history_opts *o, unsigned fail_on,
                  osw_known_failures_t *known, struct osw_error *err)
{
    struct osw_text left = OSW_TEXT_INIT;
    int rc = add_all(h, files, o, &left, err);

    if (rc == 0)
        rc = osw_history_judge(h, known, err);
    if (rc == 0)
        rc = check_common(
            h, o, left.used && osw_text_str(&left) ? osw_text_str(&left) : "",
            err);
    osw_text_free(&left);
    if (rc == 0)
        rc = write_to(h, o, err);
    return rc < 0 ? -1 : outcome(h, fail_on);
}

/* What is read stays. */
static int check_output(const struct history_opts *o,
                        const struct osw_result_files *files,
                        struct osw_error *err)
{
    const char *const beside[] = {o->baseline, o->known};
    const char *const *paths = (const char *const *)files->paths;

    for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
        if (beside[i] &&
            osw_whole_file_apart(o->output, &beside[i], 1, err) < 0)
            return -1;
    return osw_whole_file_apart(o->output, paths, files->n, err) < 0
               ? -1
               : osw_whole_file_fits(o->output, o->format, err);
}

static int history_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    const struct history_opts *o = opts;
    const struct osw_history_options options = {
        .threshold = o->threshold / 100,
        .max_shift = o->max_shift / 100,
        .pattern = o->cell,
        .last = (size_t)o->last,
    };
    struct osw_result_files files = {.n = 0};
    osw_known_failures_t *known = NULL;
    osw_history_t *h = NULL;
    char day[OSW_KNOWN_FAILURES_DATE];
    unsigned fail_on = 0;
    int rc = check(o, &fail_on, err);

    if (rc == 0)
        rc = osw_result_files(args->operands, args->n_operands, &files, err);
    if (rc == 0)
        rc = check_output(o, &files, err);
    if (rc == 0 && o->known) {
        known = osw_known_failures_load(
            o->known, o->date ? o->date : today(day), kind_name, err);
        rc = known ? 0 : osw_error_in(err, "option '--known'");
    }
    if (rc == 0) {
        h = osw_history_create(&options, err);
        rc = h ? follow(h, &files, o, fail_on, known, err) : -1;
    }
    osw_history_destroy(h);
    osw_known_failures_free(known);
    osw_result_files_free(&files);
    return rc;
}

extern const struct osw_cmd osw_cmd_history;
const struct osw_cmd osw_cmd_history = {
    .name = "history",
    .topic = "compare campaigns",
    .operands = "FOLDER|FILE.h5 ...",
    .summary = "print what changed over many campaigns, and since which",
    .details =
        "Campaigns are ordered by the time they began.  Of each cell verdicts\n"
        "and times are followed: what changed, since which campaign, and what\n"
        "else changed there (revision, sources, driver, node, GPU).  What "
        "goes\n"
        "with a node and not with the time is that node's.  Other models of\n"
        "device are series of their own.\n"
        "Exit codes: 0 nothing of --fail-on, 1 something, 2 bad input,\n"
        "3 nothing or too little in common, 4 the newest campaign is "
        "incomplete,\n5 the findings cannot be written (a full disk).\n",
    .min_operands = 1,
    .max_operands = OSW_CLI_MAX_OPERANDS,
    .opts = history_optv,
    .defaults = &history_defaults,
    .opts_size = sizeof(history_defaults),
    .guarded = true,
    .run = history_run,
};
