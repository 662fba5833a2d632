/* results/report_md.c - pieces of Markdown, as GitHub and GitLab read it */
#include "results/report_md.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "results/dict.h"

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
        size_t n = osw_dict_utf8_length(s, strlen(s));
        unsigned char c = (unsigned char)*s;

        if (n == 0)
            fputs("\xef\xbf\xbd", out);
        else if (c < 0x20 || c == 0x7f)
            putc(' ', out);
        else if (n > 1 || !put_special(out, *s, code))
            fwrite(s, 1, n, out);
        s += n ? n : 1;
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

/* Without any performance test there is nothing to compare. */
static void put_above(FILE *out, const struct osw_scores *s, uint64_t n,
                      uint64_t of, const char *end)
{
    put_share(out, n, s->n_perf ? of : 0);
    fprintf(out, " | %" PRIu64 " of %" PRIu64 " |%s", n, of, end);
}

/* A score, its numerator, its denominator. */
static void put_score(FILE *out, const char *name, uint64_t n, uint64_t of,
                      const char *words)
{
    fprintf(out, "| %s | ", name);
    put_share(out, n, of);
    fprintf(out, " | %" PRIu64 " of %" PRIu64 " %s |\n", n, of, words);
}

void osw_report_md_scores(FILE *out, const struct osw_scores *s)
{
    fputs("| score | value | of |\n|---|---:|---|\n", out);
    put_score(out, "correctness (BackendBench)", s->n_ops_correct, s->n_ops,
              "operators with tests: all of them pass");
    fputs("| performance (BackendBench, geomean) | ", out);
    osw_report_md_number(out, s->performance, 3);
    fprintf(out,
            " | %" PRIu64 " of %" PRIu64 " operators; %" PRIu64
            " performance tests, of which %" PRIu64 " failed and count 1.0 |\n",
            s->n_ops_perf, s->n_ops, s->n_perf, s->n_perf_fail);
    put_score(out, "cells that pass", s->n_pass, s->n_tests, "judged cells");
    put_score(out, "cells that pass, strict", s->n_pass, s->n_planned,
              "planned cells");
    fputs("| speedup of cells that pass, geomean | ", out);
    osw_report_md_number(out, s->speedup_timed, 3);
    if (!isnan(s->timed_lo))
        fprintf(out, " [%.3g, %.3g]", s->timed_lo, s->timed_hi);
    fprintf(out,
            " | %" PRIu64 " timed of %" PRIu64 " passed cells |\n"
            "\n| p | perf@p (BackendBench) | of operators | fast\\_p "
            "(KernelBench) | of judged cells | fast\\_p, strict | of planned "
            "cells |\n|---:|---:|---|---:|---|---:|---|\n",
            s->n_timed, s->n_pass);
    for (int i = 0; i < OSW_SCORES_N_P; i++) {
        fprintf(out, "| %g | ", osw_scores_p[i]);
        put_above(out, s, s->n_ops_above[i], s->n_ops, " ");
        put_above(out, s, s->n_cells_above[i], s->n_tests, " ");
        put_above(out, s, s->n_cells_above[i], s->n_planned, "\n");
    }
    if (s->n_ops_without)
        fprintf(out,
                "\n%" PRIu64
                " operators have no judged cell, and are in no denominator "
                "of operators.\n",
                s->n_ops_without);
}
