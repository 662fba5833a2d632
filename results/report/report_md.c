/* results/report/report_md.c - pieces of Markdown, as GitHub and GitLab read it
 */
#include "results/report/report_md.h"
#include "common/utf8.h"
#include "results/report/scores.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results/journal/dict.h"
#include "results/report/report_number.h"
#include "results/report/report_versus.h"

/* Characters with a meaning lose it; in code only two have one. */
static bool put_special(FILE *out, char c, bool code)
{
    if (code && c == '`') {
        putc('\'', out);
        return true;
    }
    if (code ? c == '|' : strchr("\\`*_{}[]<>()#+!|~@&$", c) != NULL) {
        fprintf(out, "\\%c", c);
        return true;
    }
    return false;
}

static void put(FILE *out, const char *s, size_t max, bool code)
{
    for (; *s && max; max--) {
        size_t n = osw_utf8_length(s, strlen(s));

        n = n ? n : 1;
        if (n > 1 || !put_special(out, *s, code))
            osw_utf8_put_visible(out, s, n);
        s += n;
    }
    if (*s)
        fputs("...", out);
}

void osw_report_md_text(FILE *out, const char *text, size_t max)
{
    put(out, text, max, false);
}

void osw_report_md_code(FILE *out, const char *text, size_t max)
{
    if (!*text)
        return;
    putc('`', out);
    put(out, text, max, true);
    putc('`', out);
}

void osw_report_md_number(FILE *out, double value, int decimals)
{
    if (isnan(value))
        fputs("n/a", out);
    else
        fprintf(out, "%.*f", decimals, value);
}

static void put_share(FILE *out, uint64_t n, uint64_t of)
{
    osw_report_md_number(out, of ? (double)n / (double)of : NAN, 3);
}

static void put_above(FILE *out, uint64_t n, uint64_t of)
{
    put_share(out, n, of);
    fprintf(out, " | %" PRIu64 " of %" PRIu64 " |", n, of);
}

/* A score, its numerator, its denominator. */
static void put_score(FILE *out, const char *name, uint64_t n, uint64_t of,
                      const char *words)
{
    fprintf(out, "| %s | ", name);
    put_share(out, n, of);
    fprintf(out, " | %" PRIu64 " of %" PRIu64 " %s |\n", n, of, words);
}

static void put_name(FILE *out, const osw_file_t *file,
                     const struct osw_report_versus *v)
{
    char name[128];

    osw_report_md_text(out,
                       osw_report_versus_name(file, v->baseline_id,
                                              v->device_id, name, sizeof(name)),
                       sizeof(name));
}

/* Each baseline: the score of BackendBench, then the mean of all cells. */
static void put_versus(FILE *out, const osw_file_t *file,
                       const struct osw_report_summary *s,
                       const struct osw_report_versus *v)
{
    struct osw_scores_versus k;
    char interval[64];

    if (v->oracle) {
        fputs("| speedup ", out);
        put_name(out, file, v);
        fprintf(out, " | n/a | %" PRIu64 " cell%s: not counted |\n", v->n,
                osw_plural(v->n));
        return;
    }
    osw_scores_add_up_versus(s, v, &k);
    fputs("| performance (BackendBench, geomean) ", out);
    put_name(out, file, v);
    fputs(" | ", out);
    osw_report_md_number(out, k.performance, 3);
    fprintf(out,
            " | %" PRIu64 " operator%s; %" PRIu64
            " performance test%s, of which %" PRIu64
            " failed and count 1.0 |\n| speedup ",
            k.n_ops_perf, osw_plural(k.n_ops_perf), k.n_perf,
            osw_plural(k.n_perf), k.n_perf_fail);
    put_name(out, file, v);
    fputs(", geomean | ", out);
    osw_report_md_number(out, osw_report_versus_geomean(v), 3);
    (void)osw_report_interval(v->lo, v->hi, interval, sizeof(interval));
    fprintf(out,
            "%s | %" PRIu64 " cell%s of %" PRIu64 " op%s%s; %" PRIu64
            " faster, %" PRIu64 " slower, %" PRIu64 " open |\n",
            interval, v->n, osw_plural(v->n), v->n_ops, osw_plural(v->n_ops),
            *interval ? ": 95 % interval by op" : "", v->n_faster, v->n_slower,
            v->n - v->n_faster - v->n_slower);
}

/* Shares of operators and cells that are faster than p times a baseline. */
static void put_thresholds(FILE *out, const osw_file_t *file,
                           const struct osw_report_summary *s)
{
    fputs("\n| baseline | p | perf@p (BackendBench) | of operators | fast\\_p "
          "(KernelBench) | of performance tests |\n"
          "|---|---:|---:|---|---:|---|\n",
          out);
    for (size_t i = 0; i < s->n_headlines; i++) {
        struct osw_scores_versus k;

        if (s->headlines[i].oracle)
            continue;
        osw_scores_add_up_versus(s, &s->headlines[i], &k);
        for (int p = 0; p < OSW_SCORES_N_P; p++) {
            fputs("| ", out);
            put_name(out, file, &s->headlines[i]);
            fprintf(out, " | %g | ", osw_scores_p[p]);
            put_above(out, k.n_ops_above[p], k.n_ops_perf);
            putc(' ', out);
            put_above(out, k.n_cells_above[p], k.n_perf);
            putc('\n', out);
        }
    }
}

void osw_report_md_scores(FILE *out, const osw_file_t *file,
                          const struct osw_report_summary *s)
{
    struct osw_scores k;
    char percent[32];

    osw_scores_add_up(s, osw_file_info(file)->n_planned, &k);
    fputs("| score | value | of |\n|---|---:|---|\n", out);
    put_score(out, "correctness (BackendBench)", k.n_ops_correct, k.n_ops,
              "operators with tests: all of them pass");
    put_score(out, "cells that pass", k.n_pass, k.n_tests, "judged cells");
    put_score(out, "cells that pass, strict", k.n_pass, k.n_planned,
              "planned cells");
    for (size_t i = 0; i < s->n_headlines; i++)
        put_versus(out, file, s, &s->headlines[i]);
    if (s->total.n_light)
        fprintf(out,
                "| speed of light, median | %s | %" PRIu64
                " timed cells%s: of what bytes and operations allow |\n",
                osw_report_percent(s->total.light_median, percent, 32),
                s->total.n_light,
                s->several_models ? " of several models" : "");
    if (k.n_baselines)
        put_thresholds(out, file, s);
    else
        fprintf(out,
                "\nNo cell was compared with a baseline; %" PRIu64
                " that pass were timed.\n",
                s->total.n_measured);
    if (k.n_ops_without)
        fprintf(out,
                "\n%" PRIu64
                " operators have no judged cell, and are in no denominator "
                "of operators.\n",
                k.n_ops_without);
}

void osw_report_md_speedups(FILE *out, const osw_file_t *file,
                            const struct osw_report_summary *s, size_t row)
{
    const struct osw_report_versus *v = NULL;
    char factor[32];

    if (s->rows[row].n_own)
        fputs("the baseline", out);
    for (bool first = !s->rows[row].n_own;
         (v = osw_report_versus_next(s, row, v)) != NULL; first = false) {
        fprintf(out, "%s%s ", first ? "" : ", ",
                osw_report_factor(osw_report_versus_geomean(v), factor, 32));
        put_name(out, file, v);
    }
}
