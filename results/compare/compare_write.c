/* results/compare/compare_write.c - a comparison as text, Markdown, JSON */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/json_out.h"
#include "common/utf8.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/compare/compare.h"

enum {
    JSON_VERSION = 2,
    MAX_CASE = 72,
    MAX_REMARK = 1000,
    FLUSH_BYTES = 1 << 16
};

static const struct osw_compare_format *const formats[] = {
    &osw_compare_format_text,
    &osw_compare_format_markdown,
    &osw_compare_format_json,
};

const struct osw_compare_format *osw_compare_format_at(size_t i)
{
    return i < sizeof(formats) / sizeof(formats[0]) ? formats[i] : NULL;
}

const struct osw_compare_format *osw_compare_format_find(const char *name)
{
    for (size_t i = 0; osw_compare_format_at(i); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static int written(FILE *out, struct osw_error *err)
{
    return fflush(out) || ferror(out)
               ? osw_fail_sys(err, errno, "cannot write the comparison")
               : 0;
}

/* --- one pair --- */

struct named {
    const char *op, *impl, *of, *was, *is, *why;
    double base_ns, now_ns;
};

static const char *state_of(const struct osw_compare_side *s, int32_t row)
{
    return row >= 0 ? osw_state_name((enum osw_state)s->status[row]) : "absent";
}

static struct named name_pair(const struct osw_compare *c,
                              const struct osw_compare_pair *p)
{
    bool old = p->now < 0;
    const struct osw_compare_side *s = old ? &c->base : &c->now;
    int32_t row = old ? p->base : p->now;

    return (struct named){
        .op = osw_file_text(s->file, OSW_DICT_OP, s->op[row]),
        .impl = osw_file_text(s->file, OSW_DICT_IMPL, s->impl[row]),
        .of = osw_file_text(s->file, OSW_DICT_CASE, s->of[row]),
        .why = osw_file_text(s->file, OSW_DICT_REASON, s->why[row]),
        .was = state_of(&c->base, p->base),
        .is = state_of(&c->now, p->now),
        .base_ns = p->base >= 0 ? c->base.median_ns[p->base] : NAN,
        .now_ns = p->now >= 0
                      ? c->now.median_ns[p->now] * osw_compare_factor(c, p->key)
                      : NAN,
    };
}

static double percent(double log_ratio)
{
    return 100 * expm1(log_ratio);
}

static bool has_times(enum osw_compare_kind kind)
{
    switch (kind) {
    case OSW_COMPARE_REGRESSED:
    case OSW_COMPARE_SLOWER:
    case OSW_COMPARE_IMPROVED:
    case OSW_COMPARE_FASTER:
    case OSW_COMPARE_UNSURE:
        return true;
    default:
        return false;
    }
}

static const char *device_of(const struct osw_compare_side *s,
                             const struct osw_compare_cell *cell)
{
    return osw_file_text(s->file, OSW_DICT_DEVICE, cell->device);
}

static const char *in_which(bool base, bool now)
{
    return base && now ? "both" : base ? "the base" : "the new file";
}

/* Why their times cannot be compared, by osw_compare_alike(). */
static void name_difference(const struct osw_compare *c,
                            const struct osw_compare_pair *p, char *out,
                            size_t size)
{
    const struct osw_compare_cell *a = osw_compare_side_find(&c->base, p->key);
    const struct osw_compare_cell *b = osw_compare_side_find(&c->now, p->key);
    const char *was = device_of(&c->base, a), *is = device_of(&c->now, b);

    if (strcmp(was, is) != 0)
        snprintf(out, size, "%.60s -> %.60s", was, is);
    else if (a->timer != b->timer)
        snprintf(out, size, "timer %s -> %s",
                 osw_timer_name((enum osw_timer)a->timer),
                 osw_timer_name((enum osw_timer)b->timer));
    else if (a->cold != b->cold)
        snprintf(out, size, "%s", a->cold ? "cold -> warm" : "warm -> cold");
    else
        snprintf(out, size, "%s in %s",
                 a->throttled || b->throttled ? "clocks held down"
                                              : "its device failed afterwards",
                 in_which(a->throttled || (!b->throttled && a->suspect),
                          b->throttled || (!a->throttled && b->suspect)));
}

/* Kinds whose cells are named one by one. */
static bool is_listed(enum osw_compare_kind kind)
{
    return kind != OSW_COMPARE_SAME && kind != OSW_COMPARE_UNTIMED &&
           kind != OSW_COMPARE_NEW;
}

static size_t first_of(const struct osw_compare *c, enum osw_compare_kind kind)
{
    size_t at = 0;

    for (int k = 0; k < (int)kind; k++)
        at += c->n_kind[k];
    return at;
}

/* --- for people --- */

static void put_plain(FILE *out, const char *s, size_t most)
{
    size_t n = strlen(s);

    osw_utf8_put_visible(out, s, n < most ? n : most);
    if (n > most)
        fputc('~', out);
}

/* A cell of a table or a line: nothing in it is Markdown, or HTML. */
static void put_escaped(FILE *out, const char *s, size_t most)
{
    static const char special[] = "|`*_<>&\\[]";

    for (size_t i = 0, n; s[i] && i < most; i += n) {
        n = strcspn(s + i, special);
        if (n == 0)
            fprintf(out, "&#%d;", s[i]);
        else
            osw_utf8_put_visible(out, s + i, n < most - i ? n : most - i);
        n = n ? n : 1;
    }
    if (strlen(s) > most)
        fputc('~', out);
}

static void put_times(FILE *out, const struct osw_compare_pair *p,
                      const struct named *n, const char *bar)
{
    double lo = (double)p->effect - (double)p->half;
    double hi = (double)p->effect + (double)p->half;

    fprintf(out, "%+7.1f %%%s", percent(p->effect), bar);
    if (isnan(p->half))
        fputs("[unknown]", out);
    else
        fprintf(out, "[%+.1f, %+.1f]", percent(lo), percent(hi));
    fprintf(out, "%s%.5g -> %.5g us%s%.1f %%%s", bar, n->base_ns / 1e3,
            n->now_ns / 1e3, bar, percent(p->noise), bar);
}

static void put_row(const struct osw_compare *c,
                    const struct osw_compare_pair *p, bool markdown, FILE *out)
{
    void (*put)(FILE *, const char *, size_t) =
        markdown ? put_escaped : put_plain;
    const char *bar = markdown ? " | " : "  ";
    struct named n = name_pair(c, p);
    char difference[160];

    fputs(markdown ? "| " : "  ", out);
    if (has_times(p->kind)) {
        put_times(out, p, &n, bar);
    } else if (p->kind == OSW_COMPARE_INCOMPARABLE) {
        name_difference(c, p, difference, sizeof(difference));
        put(out, difference, sizeof(difference));
        fputs(bar, out);
    } else {
        fprintf(out, "%s -> %s%s", n.was, n.is, bar);
    }
    put(out, n.op, MAX_CASE);
    fputs("/", out);
    put(out, n.impl, MAX_CASE);
    fputs(markdown ? " | " : " ", out);
    put(out, n.of, MAX_CASE);
    if (!has_times(p->kind)) {
        fputs(bar, out);
        put(out, n.why, MAX_CASE);
    }
    fputs(markdown ? " |\n" : "\n", out);
}

static void put_kind(const struct osw_compare *c, enum osw_compare_kind kind,
                     size_t limit, bool markdown, FILE *out)
{
    size_t from = first_of(c, kind), n = c->n_kind[kind];

    if (n == 0 || !is_listed(kind))
        return;
    fprintf(out, markdown ? "\n#### %s: %zu (%s)\n\n" : "\n%s: %zu (%s)\n",
            osw_compare_name(kind), n, osw_compare_text(kind));
    if (markdown)
        fputs(has_times(kind) ? "| effect | 95 % interval | median | noise | "
                                "implementation | "
                                "case |\n|---|---|---|---|---|---|\n"
                              : "| was -> is | implementation | case | reason "
                                "|\n|---|---|---|---|\n",
              out);
    for (size_t i = 0; i < n && i < limit; i++)
        put_row(c, &c->pairs[from + i], markdown, out);
    if (n > limit)
        fprintf(out, markdown ? "\nand %zu more\n" : "  and %zu more\n",
                n - limit);
}

/* What stands in the columns of put_times(). */
static void put_legend(const struct osw_compare *c, bool markdown, FILE *out)
{
    size_t n = 0;

    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        n += has_times((enum osw_compare_kind)k) ? c->n_kind[k] : 0;
    if (n && !markdown)
        fputs("\ntimes: change, its 95 % interval, medians, noise between "
              "launches, cell\n",
              out);
    if (n && c->n_rounds)
        fprintf(out,
                "%smedians are those of the two files; what was run in "
                "turns has its change from those runs\n",
                markdown ? "\n" : "");
}

static void put_counts(const struct osw_compare *c, const char *line, FILE *out)
{
    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        if (c->n_kind[k])
            fprintf(out, line, osw_compare_name((enum osw_compare_kind)k),
                    c->n_kind[k], osw_compare_text((enum osw_compare_kind)k));
}

/* The command that decides what this comparison could not. */
static void add_command(struct osw_text *t, const struct osw_compare *c,
                        bool unsure)
{
    unsigned n = 2 * c->n_rounds;

    osw_text_add(t, "opsweep compare ");
    osw_text_add_shell(t, osw_file_info(c->base.file)->path);
    osw_text_add(t, " ");
    osw_text_add_shell(t, osw_file_info(c->now.file)->path);
    osw_text_printf(t, " --confirm %u%s",
                    n < 5     ? 5
                    : n > 100 ? 100
                              : n,
                    unsure ? " --unsure" : "");
}

static void put_command(const struct osw_compare *c, bool unsure, bool markdown,
                        FILE *out)
{
    struct osw_text t = OSW_TEXT_INIT;

    add_command(&t, c, unsure);
    if (osw_text_str(&t))
        fprintf(out, markdown ? "`%s` decides\n" : "%s decides\n",
                osw_text_str(&t));
    osw_text_free(&t);
}

static void put_undecided(const struct osw_compare *c, bool markdown, FILE *out)
{
    size_t n_unsure = c->n_kind[OSW_COMPARE_UNSURE];

    if (c->n_rounds && c->n_undecided == 0) {
        fprintf(out, "decided by %u run%s of each side in turns\n", c->n_rounds,
                osw_plural(c->n_rounds));
    } else if (c->n_rounds) {
        fprintf(
            out,
            "%u run%s of each side in turns left %zu of %zu time%s unsure; ",
            c->n_rounds, osw_plural(c->n_rounds), c->n_undecided, c->n_timed,
            osw_plural(c->n_timed));
        put_command(c, c->options.unsure, markdown, out);
    } else if (c->n_undecided > 0) {
        fprintf(out, "undecided: %zu of %zu time%s look%s changed; ",
                c->n_undecided, c->n_timed, osw_plural(c->n_timed),
                c->n_undecided == 1 ? "s" : "");
        put_command(c, c->options.unsure, markdown, out);
    }
    if (c->n_rounds == 0 && n_unsure > 0) {
        fprintf(out, "unsure: %zu of %zu time%s; ", n_unsure, c->n_timed,
                osw_plural(c->n_timed));
        put_command(c, true, markdown, out);
    }
}

static void put_head(const struct osw_compare *c, bool markdown, FILE *out)
{
    fprintf(out,
            "%zu of %zu cell%s judged in the base %s in the new file, %zu "
            "with times that can be compared",
            c->n_common, c->n_judged, osw_plural(c->n_judged),
            c->n_common == 1 ? "is" : "are", c->n_timed);
    if (c->n_kind[OSW_COMPARE_INCOMPARABLE])
        fprintf(out, ", %zu with times that cannot",
                c->n_kind[OSW_COMPARE_INCOMPARABLE]);
    fputc('\n', out);
    if (c->options.inject != 1)
        fprintf(out, "new times are multiplied by %g in %g %% of the cells\n",
                c->options.inject, 100 * c->options.inject_share);
    if (fabs(c->shift) >= 0.01)
        fprintf(out, "all cells together are %.1f %% %s [%+.1f, %+.1f]: %s%s\n",
                fabs(percent(c->shift)), c->shift > 0 ? "slower" : "faster",
                percent(c->shift - c->shift_half),
                percent(c->shift + c->shift_half),
                fabs(c->shift) > c->shift_half ? "clocks, driver or node"
                                               : "no more than noise",
                c->shift_out ? "; taken out below" : "");
    put_undecided(c, markdown, out);
    for (size_t i = 0; i < c->n_remarks; i++) {
        (markdown ? put_escaped : put_plain)(out, c->remarks[i], MAX_REMARK);
        fputc('\n', out);
    }
}

static int write_text(const struct osw_compare *c, size_t limit, FILE *out,
                      struct osw_error *err)
{
    fprintf(out, "base  %s\nnew   %s\n", osw_file_info(c->base.file)->path,
            osw_file_info(c->now.file)->path);
    put_head(c, false, out);
    fputc('\n', out);
    put_counts(c, "  %-14s %8zu  %s\n", out);
    put_legend(c, false, out);
    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        put_kind(c, (enum osw_compare_kind)k, limit, false, out);
    return written(out, err);
}

static int write_markdown(const struct osw_compare *c, size_t limit, FILE *out,
                          struct osw_error *err)
{
    fputs("### opsweep: ", out);
    put_escaped(out, osw_file_info(c->base.file)->path, 200);
    fputs(" and ", out);
    put_escaped(out, osw_file_info(c->now.file)->path, 200);
    fputs("\n\n", out);
    put_head(c, true, out);
    fputs("\n| | cells | |\n|---|---|---|\n", out);
    put_counts(c, "| %s | %zu | %s |\n", out);
    put_legend(c, true, out);
    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        put_kind(c, (enum osw_compare_kind)k, limit, true, out);
    return written(out, err);
}

/* --- for programs --- */

static void put_pair(struct osw_json_out *o, const struct osw_compare *c,
                     const struct osw_compare_pair *p)
{
    struct named n = name_pair(c, p);
    char key[24];

    snprintf(key, sizeof(key), "0x%016" PRIx64, p->key);
    osw_json_out_object(o, NULL);
    osw_json_out_str(o, "cell_key", key);
    osw_json_out_str(o, "kind", osw_compare_name(p->kind));
    osw_json_out_str(o, "op", n.op);
    osw_json_out_str(o, "impl", n.impl);
    osw_json_out_str(o, "case", n.of);
    osw_json_out_str(o, "base_status", n.was);
    osw_json_out_str(o, "new_status", n.is);
    osw_json_out_f64(o, "base_ns", n.base_ns);
    osw_json_out_f64(o, "new_ns", n.now_ns);
    osw_json_out_f64(o, "effect", expm1((double)p->effect));
    osw_json_out_f64(o, "effect_lo",
                     expm1((double)p->effect - (double)p->half));
    osw_json_out_f64(o, "effect_hi",
                     expm1((double)p->effect + (double)p->half));
    osw_json_out_f64(o, "noise", expm1((double)p->noise));
    osw_json_out_end(o);
}

static int flush(struct osw_text *t, FILE *out, struct osw_error *err)
{
    if (!osw_text_str(t))
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the comparison");
    fputs(osw_text_str(t), out);
    osw_text_reset(t);
    return 0;
}

static void put_json_head(struct osw_json_out *o, const struct osw_compare *c)
{
    osw_json_out_str(o, "format", "opsweep.compare");
    osw_json_out_i64(o, "version", JSON_VERSION);
    osw_json_out_str(o, "base", osw_file_info(c->base.file)->path);
    osw_json_out_str(o, "new", osw_file_info(c->now.file)->path);
    osw_json_out_u64(o, "n_judged_in_base", c->n_judged);
    osw_json_out_u64(o, "n_in_both", c->n_common);
    osw_json_out_u64(o, "n_broken", c->n_broken);
    osw_json_out_u64(o, "n_timed", c->n_timed);
    osw_json_out_f64(o, "shift", expm1(c->shift));
    osw_json_out_f64(o, "shift_lo", expm1(c->shift - c->shift_half));
    osw_json_out_f64(o, "shift_hi", expm1(c->shift + c->shift_half));
    osw_json_out_f64(o, "threshold", c->options.threshold);
    osw_json_out_f64(o, "inject", c->options.inject);
    osw_json_out_f64(o, "margin", expm1(osw_compare_margin(c)));
    osw_json_out_f64(o, "false_discovery_rate", OSW_COMPARE_FDR);
    osw_json_out_u64(o, "n_confirm", c->n_rounds);
    osw_json_out_u64(o, "n_undecided", c->n_undecided);
    osw_json_out_object(o, "counts");
    for (int k = 0; k < OSW_COMPARE_N_KINDS; k++)
        osw_json_out_u64(o, osw_compare_name((enum osw_compare_kind)k),
                         c->n_kind[k]);
    osw_json_out_end(o);
    osw_json_out_list(o, "remarks");
    for (size_t i = 0; i < c->n_remarks; i++)
        osw_json_out_str(o, NULL, c->remarks[i]);
    osw_json_out_end(o);
}

/* All cells, whatever the limit. */
static int write_json(const struct osw_compare *c, size_t limit, FILE *out,
                      struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_json_out o = osw_json_out(&t);
    int rc = 0;

    (void)limit;
    osw_json_out_object(&o, NULL);
    put_json_head(&o, c);
    osw_json_out_list(&o, "cells");
    for (size_t i = 0; rc == 0 && i < c->n; i++) {
        put_pair(&o, c, &c->pairs[i]);
        if (t.used > FLUSH_BYTES)
            rc = flush(&t, out, err);
    }
    osw_json_out_end(&o);
    osw_json_out_end(&o);
    osw_text_add(&t, "\n");
    if (rc == 0)
        rc = flush(&t, out, err);
    osw_text_free(&t);
    return rc < 0 ? rc : written(out, err);
}

const struct osw_compare_format osw_compare_format_text = {"text", write_text};
const struct osw_compare_format osw_compare_format_markdown = {"markdown",
                                                               write_markdown};
const struct osw_compare_format osw_compare_format_json = {"json", write_json};
