/* results/report/html/report_html_errors.c - how far results are from the
 * reference
 *
 * A histogram of the largest error of each judged cell that was compared, one
 * for each element type: the error over what was allowed, or, in files that do
 * not have that, the relative error.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/html/report_html.h"

enum {
    LEAST = -16, /* log10; what is less stands with it */
    MOST = 4,
    N_BINS = MOST - LEAST + 2, /* bin 0: exact; the last: more, infinite */
    MAX_DTYPES = 8,
    BIN_W = 15,
    PLOT_H = 110,
    LEFT = 10,
    TOP = 8,
    BOTTOM = 34,
};

struct histogram {
    uint32_t dtype;
    uint64_t n, n_bad;
    uint64_t pass[N_BINS], bad[N_BINS];
};

static int bin_of(double e)
{
    if (e == 0)
        return 0;
    if (!(e < pow(10, MOST)))
        return N_BINS - 1;
    return 1 + (int)fmax(floor(log10(e)) - LEAST, 0);
}

static int by_count(const void *x, const void *y)
{
    const struct histogram *a = x, *b = y;

    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->dtype < b->dtype ? -1 : a->dtype > b->dtype;
}

static bool has_allowed(const struct osw_report_html *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (!isnan(h->cells[i].err_of_allowed))
            return true;
    return false;
}

/* Weak and unverified cells have errors, and did not fail. */
static bool is_judged(const struct osw_report_html_cell *c)
{
    return c->group == OSW_GROUP_PASS || c->group == OSW_GROUP_FAIL ||
           c->group == OSW_GROUP_ERROR;
}

static void add(struct histogram *t, const struct osw_report_html_cell *c,
                double error)
{
    bool pass = c->group == OSW_GROUP_PASS;

    t->n++;
    t->n_bad += !pass;
    (pass ? t->pass : t->bad)[bin_of(error)]++;
}

static void put_bars(FILE *out, const struct histogram *t, uint64_t most)
{
    for (int i = 0; i < N_BINS; i++) {
        int x = LEFT + i * BIN_W;
        double pass = (double)t->pass[i] * PLOT_H / (double)most;
        double bad = (double)t->bad[i] * PLOT_H / (double)most;
        char from[32];

        if (t->pass[i] + t->bad[i] == 0)
            continue;
        /* One cell of many is still seen. */
        pass = t->pass[i] ? fmax(pass, 2) : 0;
        bad = t->bad[i] ? fmax(bad, 2) : 0;
        snprintf(from, sizeof(from), "1e%d", LEAST + i - 1);
        fprintf(out,
                "<g><title>%s%s: %" PRIu64 " pass, %" PRIu64 " fail</title>",
                i == 0            ? "exact"
                : i == N_BINS - 1 ? "above "
                                  : "from ",
                i == 0 ? "" : from, t->pass[i], t->bad[i]);
        if (t->pass[i])
            fprintf(out,
                    "<rect class=\"f-pass\" x=\"%d\" y=\"%.1f\" width=\"%d\" "
                    "height=\"%.1f\"/>",
                    x, TOP + PLOT_H - pass, BIN_W - 2, pass);
        if (t->bad[i])
            fprintf(out,
                    "<rect class=\"f-bad\" x=\"%d\" y=\"%.1f\" width=\"%d\" "
                    "height=\"%.1f\"/>",
                    x, TOP + PLOT_H - pass - bad, BIN_W - 2, bad);
        fputs("</g>\n", out);
    }
}

static void put_histogram(const struct osw_report_html *h,
                          const struct histogram *t, bool allowed)
{
    FILE *out = h->out;
    const char *name = osw_file_text(h->file, OSW_DICT_DTYPE, t->dtype);
    int width = LEFT * 2 + N_BINS * BIN_W, height = TOP + PLOT_H + BOTTOM;
    uint64_t most = 1;

    for (int i = 0; i < N_BINS; i++)
        if (t->pass[i] + t->bad[i] > most)
            most = t->pass[i] + t->bad[i];
    fputs("<figure><figcaption><b>", out);
    osw_report_html_text(out, *name ? name : "no tensor", 30);
    fprintf(out,
            "</b> %" PRIu64 " cell%s, %" PRIu64 " of them failed</figcaption>"
            "<svg class=\"chart errors\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"histogram of "
            "largest errors\">\n",
            t->n, osw_plural(t->n), t->n_bad, width, height, width, height);
    fprintf(out,
            "<line class=\"base\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
            LEFT, TOP + PLOT_H, width - LEFT, TOP + PLOT_H);
    put_bars(out, t, most);
    if (allowed)
        fprintf(out,
                "<line class=\"limit\" x1=\"%d\" y1=\"%d\" x2=\"%d\" "
                "y2=\"%d\"><title>1: what is allowed</title></line>",
                LEFT + (1 - LEAST) * BIN_W - 1, TOP,
                LEFT + (1 - LEAST) * BIN_W - 1, TOP + PLOT_H);
    for (int v = LEAST + 2; v <= MOST; v += 3)
        fprintf(out, "<text class=\"tick\" x=\"%d\" y=\"%d\">1e%d</text>",
                LEFT + (1 + v - LEAST) * BIN_W - 1, TOP + PLOT_H + 14, v);
    fprintf(out,
            "<text class=\"tick start\" x=\"%d\" y=\"%d\">exact</text>"
            "<text class=\"tick\" x=\"%d\" y=\"%d\">%s</text></svg></figure>\n",
            LEFT - 8, TOP + PLOT_H + 14, width / 2, TOP + PLOT_H + 30,
            allowed ? "largest error of a cell over what was allowed"
                    : "largest relative error of a cell");
}

int osw_report_html_errors(const struct osw_report_html *h,
                           struct osw_error *err)
{
    uint32_t n = osw_file_dict_count(h->file, OSW_DICT_DTYPE);
    struct histogram *all = calloc((size_t)n + 1, sizeof(*all));
    bool allowed = has_allowed(h);
    uint64_t compared = 0;

    if (!all)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (uint32_t d = 0; d < n; d++)
        all[d].dtype = d;
    for (size_t i = 0; i < h->n; i++) {
        const struct osw_report_html_cell *c = &h->cells[i];

        double error = allowed ? c->err_of_allowed : c->max_rel_err;

        if (isnan(error) || c->dtype >= n || !is_judged(c))
            continue;
        add(&all[c->dtype], c, error);
        compared++;
    }
    qsort(all, n, sizeof(*all), by_count);
    osw_report_html_section(h->out, "errors", "Errors");
    fprintf(h->out,
            "<p class=\"note\">Of %" PRIu64
            " of %zu cells, those that pass or fail and whose elements "
            "were compared, by the type of the first tensor. %s</p>\n"
            "<p class=\"legend\"><span class=\"key\"><svg width=\"14\" "
            "height=\"12\" aria-hidden=\"true\"><rect class=\"f-pass\" "
            "width=\"14\" height=\"12\"/></svg> pass</span><span "
            "class=\"key\"><svg width=\"14\" height=\"12\" "
            "aria-hidden=\"true\"><rect class=\"f-bad\" width=\"14\" "
            "height=\"12\"/></svg> fail</span></p>\n<div class=\"figures\">\n",
            compared, h->n,
            allowed ? "1 is what is allowed: the dashed line."
                    : "A cell passes by tolerances on every element (absolute "
                      "and relative), so a large relative error next to an "
                      "expected 0 is none.");
    for (uint32_t d = 0; d < n && d < MAX_DTYPES && all[d].n; d++)
        put_histogram(h, &all[d], allowed);
    fputs("</div>\n", h->out);
    osw_report_html_section_end(h->out);
    free(all);
    return 0;
}
