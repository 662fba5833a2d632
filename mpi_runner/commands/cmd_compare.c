/* mpi_runner/commands/cmd_compare.c - opsweep compare: what changed between two
 * runs */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/cli.h"
#include "common/whole_file.h"
#include "mpi_runner/commands/fail_on.h"
#include "mpi_runner/diagnose/confirm.h"
#include "results/compare/compare.h"
#include "results/compare/compare_confirm.h"

struct compare_opts {
    double threshold, margin, max_shift, inject, inject_share, min_common;
    const char *format, *output, *fail_on, *emit, *base_root, *new_root;
    uint64_t confirm, limit;
    bool unsure;
};

static const struct compare_opts compare_defaults = {
    .threshold = 2,
    .margin = 10,
    .max_shift = 5,
    .inject = 1,
    .inject_share = 100,
    .min_common = 50,
    .format = "text",
    .fail_on = "newly-failing,gone,regressed,shift",
    .limit = 20,
};

static const char *format_word(size_t i)
{
    const struct osw_compare_format *format = osw_compare_format_at(i);

    return format ? format->name : NULL;
}

#define AT(field) offsetof(struct compare_opts, field)
/* clang-format off */
static const struct osw_opt compare_optv[] = {
    { "format", OSW_OPT_STR, AT(format), "", .letter = 'f', .value = "NAME",
      .words = format_word, .topic = "output" },
    { "output", OSW_OPT_STR, AT(output), "write there [standard output]",
      .letter = 'o', .value = "FILE" },
    { "limit", OSW_OPT_U64, AT(limit), "cells named of each kind",
      .value = "N" },
    { "threshold", OSW_OPT_F64, AT(threshold),
      "least change of a time that counts, in percent", .value = "P",
      .topic = "what counts as a change" },
    { "margin", OSW_OPT_F64, AT(margin),
      "times that are shown to differ by less are the same, in percent",
      .value = "P" },
    { "max-shift", OSW_OPT_F64, AT(max_shift),
      "most by which all cells together may be slower, in percent",
      .value = "P" },
    { "min-common", OSW_OPT_F64, AT(min_common),
      "least share of the base's cells that the new file must have, and of "
      "times in both that can be compared, in percent",
      .value = "P" },
    { "fail-on", OSW_OPT_STR, AT(fail_on),
      "kinds of cells, or shift, that make the exit code 1, or none",
      .value = "A,B" },
    { "confirm", OSW_OPT_U64, AT(confirm),
      "decide what looks changed: run it up to N times more on each side, in "
      "turns; 5 times or more where fewer cannot decide",
      .value = "N", .most = OSW_COMPARE_CONFIRM_MAX, .topic = "confirming" },
    { "unsure", OSW_OPT_FLAG, AT(unsure),
      "decide, too, what one run each is too noisy to tell" },
    { "base-root", OSW_OPT_STR, AT(base_root),
      "op folders as they were for the base, when confirming [where they were, "
      "or their git revision]",
      .value = "DIR" },
    { "new-root", OSW_OPT_STR, AT(new_root), "likewise for the new file",
      .value = "DIR" },
    { "emit-campaign", OSW_OPT_STR, AT(emit),
      "write a campaign of what looks changed", .value = "FILE" },
    { "inject", OSW_OPT_F64, AT(inject),
      "multiply the new times: does --fail-on work?", .value = "F",
      .topic = "trying --fail-on", .expert = true },
    { "inject-share", OSW_OPT_F64, AT(inject_share),
      "in that share of the cells, in percent", .value = "P", .expert = true },
    {0},
};
/* clang-format on */
#undef AT

/* Bit k: kind k; the bit after the last: the shift. */
enum { SHIFT_BIT = OSW_COMPARE_N_KINDS };

static const char *fail_on_name(int k)
{
    if (k == SHIFT_BIT)
        return "shift";
    return k < SHIFT_BIT ? osw_compare_name((enum osw_compare_kind)k) : NULL;
}

/* What says how to confirm, without that. */
static int check_confirm(const struct compare_opts *o, struct osw_error *err)
{
    const char *needless = o->unsure      ? "unsure"
                           : o->base_root ? "base-root"
                           : o->new_root  ? "new-root"
                                          : NULL;

    return needless && !o->confirm && !o->emit
               ? osw_fail(err, OSW_BAD_INPUT,
                          "option '--%s' needs '--confirm N' or "
                          "'--emit-campaign FILE'",
                          needless)
               : 0;
}

static int check_inject(const struct compare_opts *o, struct osw_error *err)
{
    return o->inject == compare_defaults.inject &&
                   o->inject_share != compare_defaults.inject_share
               ? osw_fail(err, OSW_BAD_INPUT,
                          "option '--inject-share' needs '--inject F'")
               : 0;
}

static int check(const struct compare_opts *o, unsigned *fail_on,
                 struct osw_error *err)
{
    if (osw_fail_on_range("threshold", o->threshold, 0, 1000, err) < 0 ||
        osw_fail_on_range("margin", o->margin, 0, 1000, err) < 0 ||
        osw_fail_on_range("max-shift", o->max_shift, 0, 1000, err) < 0 ||
        osw_fail_on_range("min-common", o->min_common, 0, 100, err) < 0 ||
        osw_fail_on_range("inject", o->inject, 1e-3, 1e3, err) < 0 ||
        osw_fail_on_range("inject-share", o->inject_share, 0, 100, err) < 0 ||
        check_confirm(o, err) < 0 || check_inject(o, err) < 0)
        return -1;
    return osw_fail_on_parse(o->fail_on, fail_on_name, fail_on, err);
}

/* --- */

static int write_to(const struct osw_compare *c,
                    const struct osw_compare_format *format,
                    const struct compare_opts *o, struct osw_error *err)
{
    struct osw_whole_file out;
    int rc = osw_whole_file_open(&out, o->output, err);

    if (rc == 0)
        rc = osw_whole_file_close(
            &out, format->write(c, o->limit, out.file, err), err);
    return rc;
}

/* With no or too few common cells, compare must not succeed. */
static int check_common(const struct osw_compare *c,
                        const struct compare_opts *o, struct osw_error *err)
{
    if (c->n_judged == 0)
        return osw_fail(err, OSW_NOTHING, "'%s' has no judged cell",
                        osw_file_info(c->base.file)->path);
    if (c->n_common > 0 &&
        (!c->now.whole ||
         100 * (double)c->n_common >= o->min_common * (double)c->n_judged))
        return 0; /* of one that is incomplete more may come */
    return osw_fail(err, OSW_NOTHING,
                    "'%s' and '%s': %zu of the base's %zu judged cells are in "
                    "both, expected %g %% of them (--min-common)",
                    osw_file_info(c->base.file)->path,
                    osw_file_info(c->now.file)->path, c->n_common, c->n_judged,
                    o->min_common);
}

/* Nor with no or too few times, where both files have them. */
static int check_times(const struct osw_compare *c,
                       const struct compare_opts *o, struct osw_error *err)
{
    size_t n_not = c->n_kind[OSW_COMPARE_INCOMPARABLE];
    size_t n = c->n_timed + n_not;

    if (n_not == 0 || 100 * (double)c->n_timed >= o->min_common * (double)n)
        return 0;
    return osw_fail(err, OSW_NOTHING,
                    "'%s' and '%s': %zu of %zu times in both can be compared "
                    "(another model of device, another timer, or clocks held "
                    "down), expected %g %% of them (--min-common)",
                    osw_file_info(c->base.file)->path,
                    osw_file_info(c->now.file)->path, c->n_timed, n,
                    o->min_common);
}

/* Cells that are gone from a file that is incomplete, or lost cells, may still
 * come.
 */
static int outcome(const struct osw_compare *c, const struct compare_opts *o,
                   unsigned fail_on, struct osw_error *err)
{
    bool complete = c->now.whole;
    bool fails =
        fail_on >> SHIFT_BIT & 1 && osw_compare_shifted(c, o->max_shift / 100);

    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        if (fail_on >> k & 1 && (k != OSW_COMPARE_GONE || complete))
            fails = fails || c->n_kind[k] > 0;
    if (fails)
        return osw_status_exit_code(OSW_FAILED);
    if (check_times(c, o, err) < 0)
        return -1;
    return complete ? 0 : osw_status_exit_code(OSW_INCOMPLETE);
}

static int compare(const struct compare_opts *o, unsigned fail_on,
                   const struct osw_compare_format *format,
                   const osw_file_t *base, const osw_file_t *now,
                   struct osw_error *err)
{
    const struct osw_compare_options options = {
        .threshold = o->threshold / 100,
        .margin = o->margin / 100,
        .inject = o->inject,
        .inject_share = o->inject_share / 100,
        .unsure = o->unsure,
    };
    const struct osw_confirm_config config = {(unsigned)o->confirm,
                                              o->base_root, o->new_root};
    struct osw_compare c;
    int rc = osw_compare_run(base, now, &options, &c, err);

    if (rc == 0)
        rc = check_common(&c, o, err);
    if (rc == 0 && o->emit)
        rc = osw_confirm_emit(&c, &config, o->emit, err);
    if (rc == 0 && o->confirm)
        rc = osw_confirm_run(&c, &config, err);
    if (rc == 0)
        rc = write_to(&c, format, o, err);
    if (rc == 0)
        rc = outcome(&c, o, fail_on, err);
    osw_compare_free(&c);
    return rc;
}

static int compare_run(void *opts, const struct osw_args *args,
                       struct osw_error *err)
{
    struct compare_opts *o = opts;
    const struct osw_compare_format *format =
        osw_compare_format_find(o->format);
    osw_file_t *base, *now;
    unsigned fail_on;
    int rc;

    if (check(o, &fail_on, err) < 0 ||
        osw_whole_file_apart(o->output, args->operands, 2, err) < 0 ||
        osw_whole_file_fits(o->output, format->name, err) < 0 ||
        osw_whole_file_apart(o->emit, args->operands, 2, err) < 0)
        return -1;
    base = osw_file_open(args->operands[0], err);
    now = base ? osw_file_open(args->operands[1], err) : NULL;
    rc = now ? compare(o, fail_on, format, base, now, err) : -1;
    osw_file_close(now);
    osw_file_close(base);
    return rc;
}

extern const struct osw_cmd osw_cmd_compare;
const struct osw_cmd osw_cmd_compare = {
    .name = "compare",
    .topic = "compare campaigns",
    .operands = "BASE.h5 NEW.h5",
    .summary = "print what changed between two result files",
    .details =
        "Verdicts first, then times of cells that passed in both.  What all\n"
        "cells have in common is taken out and named once.  A time that looks\n"
        "changed in one run each is undecided, unless it is twofold and far\n"
        "beyond noise; --confirm 5 decides it, by code with the SHA-256 that\n"
        "the files record or not at all.  At most 5 % of the changes that one\n"
        "comparison confirms are expected to be none.\n"
        "Exit codes: 0 nothing of --fail-on, 1 something, 2 bad input (or the\n"
        "recorded code is not there), 3 nothing or too little in common, or "
        "too\nfew times that can be compared, 4 the new file is incomplete, or "
        "a run of\n--confirm did not come to its end, 5 the comparison cannot "
        "be written (a full\ndisk).\n",
    .min_operands = 2,
    .max_operands = 2,
    .opts = compare_optv,
    .defaults = &compare_defaults,
    .opts_size = sizeof(compare_defaults),
    .guarded = true,
    .run = compare_run,
};
