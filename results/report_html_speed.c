/* results/report_html_speed.c - speedups as sorted bars with intervals
 *
 * A bar is an op with one implementation: geometric mean over its cells that
 * pass.  The interval is the geometric mean of the cells' own ends, so it tells
 * how sure the measurements are; a thin line spans the cells' speedups.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "results/report_html.h"

enum {
    ENDS = 20,        /* fastest and slowest; what is between is folded */
    MAX_FOLDED = 360, /* of that */
    LABEL = 330,
    PLOT = 520,
    BAR_H = 18,
    HEAD = 22,
};

struct bar {
    uint32_t op, impl;
    uint64_t n, n_interval;
    double log2_mean, log2_lo, log2_hi; /* sums, then means */
    double least, most;
};

static int by_op(const void *x, const void *y)
{
    const struct bar *a = x, *b = y;

    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return a->impl < b->impl ? -1 : a->impl > b->impl;
}

static int by_speed(const void *x, const void *y)
{
    const struct bar *a = x, *b = y;

    if (a->log2_mean != b->log2_mean)
        return a->log2_mean > b->log2_mean ? -1 : 1;
    return by_op(x, y);
}

static void add(struct bar *b, const struct osw_report_html_cell *c)
{
    b->n++;
    b->log2_mean += log2(c->speedup);
    b->least = b->n == 1 ? c->speedup : fmin(b->least, c->speedup);
    b->most = b->n == 1 ? c->speedup : fmax(b->most, c->speedup);
    if (c->speedup_lo > 0 && c->speedup_hi > 0 && !isinf(c->speedup_hi)) {
        b->n_interval++;
        b->log2_lo += log2(c->speedup_lo / c->speedup);
        b->log2_hi += log2(c->speedup_hi / c->speedup);
    }
}

/* Sorted bars; *n is their number.  The caller's to free. */
static struct bar *make_bars(const struct osw_report_html *h, size_t *n_out,
                             struct osw_error *err)
{
    const struct osw_report_summary *s = h->summary;
    struct bar *bars = calloc(s->n_rows + 1, sizeof(*bars));
    size_t n = 0;

    if (!bars) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        return NULL;
    }
    for (size_t i = 0; i < s->n_rows; i++)
        if (s->rows[i].n_timed)
            bars[n++] = (struct bar){.op = s->rows[i].op_id,
                                     .impl = s->rows[i].impl_id};
    qsort(bars, n, sizeof(*bars), by_op);
    for (size_t i = 0; i < h->n; i++) {
        struct bar key = {.op = h->cells[i].op, .impl = h->cells[i].impl};
        struct bar *b;

        if (!osw_report_html_timed(&h->cells[i]))
            continue;
        b = bsearch(&key, bars, n, sizeof(*bars), by_op);
        if (b)
            add(b, &h->cells[i]);
    }
    for (size_t i = 0; i < n; i++) {
        bars[i].log2_mean /= (double)bars[i].n;
        if (bars[i].n_interval) {
            bars[i].log2_lo /= (double)bars[i].n_interval;
            bars[i].log2_hi /= (double)bars[i].n_interval;
        }
    }
    qsort(bars, n, sizeof(*bars), by_speed);
    *n_out = n;
    return bars;
}

/* --- drawing: x is log2 of the speedup --- */

struct axis {
    double least, most; /* whole numbers of log2 */
};

static double x_of(const struct axis *a, double log2_speedup)
{
    double v = fmin(fmax(log2_speedup, a->least), a->most);

    return LABEL + PLOT * (v - a->least) / (a->most - a->least);
}

static struct axis make_axis(const struct bar *bars, size_t n)
{
    struct axis a = {-1, 1};

    for (size_t i = 0; i < n; i++) {
        a.least = fmin(a.least, floor(log2(bars[i].least)));
        a.most = fmax(a.most, ceil(log2(bars[i].most)));
    }
    a.least = fmax(a.least, -10);
    a.most = fmin(a.most, 10);
    return a;
}

static void put_grid(FILE *out, const struct axis *a, int height)
{
    int step = a->most - a->least > 12 ? 2 : 1;

    for (int v = (int)a->least; v <= (int)a->most; v += step) {
        double x = x_of(a, v);

        fprintf(out,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                "y2=\"%d\"/><text class=\"tick\" x=\"%.1f\" y=\"13\">%gx"
                "</text>\n",
                v == 0 ? "one" : "grid", x, HEAD - 4, x, height, x, exp2(v));
    }
}

static void put_label(const struct osw_report_html *h, const struct bar *b,
                      int y)
{
    FILE *out = h->out;

    fprintf(out, "<text class=\"row\" x=\"%d\" y=\"%d\">", LABEL - 8, y);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_OP, b->op), 32);
    fputs(" <tspan class=\"impl\">", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_IMPL, b->impl),
                         14);
    fputs("</tspan></text>", out);
}

static void put_bar(const struct osw_report_html *h, const struct axis *a,
                    const struct bar *b, int y)
{
    FILE *out = h->out;
    double one = x_of(a, 0), mean = x_of(a, b->log2_mean);
    double mid = y + BAR_H / 2.0;
    char text[4][32];

    fputs("<a href=\"", out);
    osw_report_html_filter_link(h, b->op, b->impl);
    fputs("\"><title>", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_OP, b->op), 200);
    fputs(" / ", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_IMPL, b->impl),
                         200);
    fprintf(out,
            ": %s, geometric mean of %" PRIu64 " cells from %s to %s</title>",
            osw_report_factor(exp2(b->log2_mean), text[0], 32), b->n,
            osw_report_factor(b->least, text[1], 32),
            osw_report_factor(b->most, text[2], 32));
    put_label(h, b, y + 13);
    fprintf(out,
            "<rect class=\"bar s%d\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" "
            "height=\"%d\"/>",
            osw_report_html_shade(exp2(b->log2_mean)), fmin(one, mean), y + 3,
            fmax(fabs(mean - one), 1), BAR_H - 6);
    if (b->n > 1)
        fprintf(out,
                "<line class=\"range\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                "y2=\"%.1f\"/>",
                x_of(a, log2(b->least)), mid, x_of(a, log2(b->most)), mid);
    if (b->n_interval) {
        double lo = x_of(a, b->log2_mean + b->log2_lo);
        double hi = x_of(a, b->log2_mean + b->log2_hi);

        fprintf(out,
                "<path class=\"whisker\" d=\"M%.1f %.1fv6m0-3H%.1fm0-3v6\"/>",
                lo, mid - 3, hi);
    }
    fprintf(out, "<text class=\"value\" x=\"%d\" y=\"%d\">%s</text></a>\n",
            LABEL + PLOT + 62, y + 13,
            osw_report_factor(exp2(b->log2_mean), text[3], 32));
}

static void put_chart(const struct osw_report_html *h, const struct bar *bars,
                      size_t n, const struct axis *axis)
{
    int height = HEAD + (int)n * BAR_H + 4;
    FILE *out = h->out;

    fprintf(out,
            "<div class=\"scroll\"><svg class=\"chart speed\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" "
            "aria-label=\"speed-ups of %zu pairs of op and implementation, "
            "sorted\">\n",
            LABEL + PLOT + 70, height, LABEL + PLOT + 70, height, n);
    put_grid(out, axis, height);
    for (size_t i = 0; i < n; i++)
        put_bar(h, axis, &bars[i], HEAD + (int)i * BAR_H);
    fputs("</svg></div>\n", out);
}

/* Those between the ends: the fastest of them, when there are too many. */
static void put_folded(const struct osw_report_html *h, const struct bar *bars,
                       size_t n, const struct axis *axis)
{
    size_t shown = n < MAX_FOLDED ? n : MAX_FOLDED;

    fprintf(h->out, "<details><summary>%zu between them</summary>\n", n);
    put_chart(h, bars, shown, axis);
    if (n > shown)
        fprintf(h->out, "<p class=\"note\">and %zu slower ones.</p>\n",
                n - shown);
    fputs("</details>\n", h->out);
}

int osw_report_html_speed(const struct osw_report_html *h,
                          struct osw_error *err)
{
    size_t n;
    struct bar *bars = make_bars(h, &n, err);
    struct axis axis;

    if (!bars)
        return -1;
    axis = make_axis(bars, n);
    osw_report_html_section(h->out, "speed", "Speed-ups");
    if (n == 0)
        fputs("<p class=\"note\">No cell that passes was timed beside a "
              "baseline.</p>\n",
              h->out);
    else
        fputs("<p class=\"note\">Baseline time over own time, geometric mean "
              "over cells that pass; failed cells are in no bar. Ticks with "
              "ends: 95&#160;% interval of the measurements. Thin line: "
              "slowest to fastest cell.</p>\n",
              h->out);
    if (n > 2 * ENDS) {
        put_chart(h, bars, ENDS, &axis);
        put_folded(h, bars + ENDS, n - 2 * ENDS, &axis);
        put_chart(h, bars + n - ENDS, ENDS, &axis);
    } else if (n) {
        put_chart(h, bars, n, &axis);
    }
    osw_report_html_section_end(h->out);
    free(bars);
    return 0;
}
