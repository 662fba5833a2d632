/* results/report/html/report_html_speed.c - speedups as sorted bars with
 * intervals
 *
 * A chart for each baseline; a bar is an op with one implementation: geometric
 * mean over its cells that pass on a model of device.  The interval is the
 * geometric mean of the cells' own ends, so it tells how sure the measurements
 * are; a thin line spans the cells' speedups.  Bars are as wide as the window
 * leaves them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "results/report/html/report_html.h"
#include "results/report/report_versus.h"

enum {
    ENDS = 20,        /* fastest and slowest; what is between is folded */
    MAX_FOLDED = 360, /* of that */
    BAR_H = 18,
};

struct bar {
    uint32_t op, impl, baseline, device;
    uint64_t n, n_interval;
    double log2_mean, log2_lo, log2_hi; /* sums, then means */
    double least, most;
    double light; /* median share of the speed of light; NaN: unknown */
};

static int by_op(const void *x, const void *y)
{
    const struct bar *a = x, *b = y;

    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->impl != b->impl)
        return a->impl < b->impl ? -1 : 1;
    if (a->baseline != b->baseline)
        return a->baseline < b->baseline ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/* Bars of a baseline and model stand together, the fastest first. */
static int by_speed(const void *x, const void *y)
{
    const struct bar *a = x, *b = y;

    if (a->baseline != b->baseline)
        return a->baseline < b->baseline ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
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

static void make_means(struct bar *bars, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bars[i].log2_mean /= (double)bars[i].n;
        if (bars[i].n_interval) {
            bars[i].log2_lo /= (double)bars[i].n_interval;
            bars[i].log2_hi /= (double)bars[i].n_interval;
        }
    }
}

/* Sorted bars; *n is their number.  The caller's to free. */
static struct bar *make_bars(const struct osw_report_html *h, size_t *n_out,
                             struct osw_error *err)
{
    const struct osw_report_summary *s = h->summary;
    struct bar *bars = calloc(s->n_versus + 1, sizeof(*bars));
    size_t n = 0;

    if (!bars) {
        osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
        return NULL;
    }
    for (size_t i = 0; i < s->n_versus; i++) {
        const struct osw_report_versus *v = &s->versus[i];

        if (v->n && !v->oracle)
            bars[n++] = (struct bar){.op = s->rows[v->row].op_id,
                                     .impl = s->rows[v->row].impl_id,
                                     .baseline = v->baseline_id,
                                     .device = v->device_id,
                                     .light = s->rows[v->row].light_median};
    }
    qsort(bars, n, sizeof(*bars), by_op);
    for (size_t i = 0; i < h->n; i++) {
        struct bar key = {.op = h->cells[i].op,
                          .impl = h->cells[i].impl,
                          .baseline = h->cells[i].baseline,
                          .device = osw_report_model(s, h->cells[i].device)};
        struct bar *b;

        if (!osw_report_html_timed(&h->cells[i]))
            continue;
        b = bsearch(&key, bars, n, sizeof(*bars), by_op);
        if (b)
            add(b, &h->cells[i]);
    }
    make_means(bars, n);
    qsort(bars, n, sizeof(*bars), by_speed);
    *n_out = n;
    return bars;
}

/* --- drawing: x is log2 of the speedup, in percent of the plot --- */

struct axis {
    double least, most; /* whole numbers of log2 */
};

static double x_of(const struct axis *a, double log2_speedup)
{
    double v = fmin(fmax(log2_speedup, a->least), a->most);

    return 3 + 94 * (v - a->least) / (a->most - a->least);
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

static void put_ticks(FILE *out, const struct axis *a)
{
    int step = (int)ceil((a->most - a->least) / 6);

    fputs("<div class=\"bar-row\" aria-hidden=\"true\"><span></span>"
          "<svg class=\"chart\" width=\"100%\" height=\"16\">",
          out);
    for (int v = (int)a->least; v <= (int)a->most; v++)
        if (v % step == 0)
            fprintf(out,
                    "<text class=\"tick\" x=\"%.1f%%\" y=\"12\">%gx</text>",
                    x_of(a, v), exp2(v));
    fputs("</svg><span></span><small>of light</small></div>\n", out);
}

static void put_line(FILE *out, const char *class, double x1, double y1,
                     double x2, double y2)
{
    fprintf(out,
            "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" "
            "y2=\"%.1f\"/>",
            class, x1, y1, x2, y2);
}

static void put_plot(FILE *out, const struct axis *a, const struct bar *b)
{
    double one = x_of(a, 0), mean = x_of(a, b->log2_mean);
    double mid = BAR_H / 2.0;

    fprintf(out, "<svg class=\"chart\" width=\"100%%\" height=\"%d\">", BAR_H);
    put_line(out, "one", one, 0, one, BAR_H);
    fprintf(out,
            "<rect class=\"bar s%d\" x=\"%.2f%%\" y=\"3\" width=\"%.2f%%\" "
            "height=\"%d\"/>",
            osw_report_html_shade(exp2(b->log2_mean)), fmin(one, mean),
            fmax(fabs(mean - one), 0.15), BAR_H - 6);
    if (b->n > 1)
        put_line(out, "range", x_of(a, log2(b->least)), mid,
                 x_of(a, log2(b->most)), mid);
    if (b->n_interval) {
        double lo = x_of(a, b->log2_mean + b->log2_lo);
        double hi = x_of(a, b->log2_mean + b->log2_hi);

        put_line(out, "whisker", lo, mid - 3, lo, mid + 3);
        put_line(out, "whisker", lo, mid, hi, mid);
        put_line(out, "whisker", hi, mid - 3, hi, mid + 3);
    }
    fputs("</svg>", out);
}

static void put_bar(const struct osw_report_html *h, const struct axis *a,
                    const struct bar *b)
{
    const char *op = osw_file_text(h->file, OSW_DICT_OP, b->op);
    const char *impl = osw_file_text(h->file, OSW_DICT_IMPL, b->impl);
    FILE *out = h->out;
    char text[4][32], name[160];

    fputs("<a class=\"bar-row\" href=\"", out);
    osw_report_html_filter_link(h, b->op, b->impl);
    fputs("\" title=\"", out);
    osw_report_html_text(out, op, 200);
    fputs(" / ", out);
    osw_report_html_text(out, impl, 200);
    fprintf(out, ": %s ", osw_report_factor(exp2(b->log2_mean), text[0], 32));
    osw_report_html_text(out,
                         osw_report_versus_name(h->file, b->baseline, b->device,
                                                name, sizeof(name)),
                         sizeof(name));
    fprintf(out, ", geometric mean of %" PRIu64 " cell%s from %s to %s\">",
            b->n, osw_plural(b->n), osw_report_factor(b->least, text[1], 32),
            osw_report_factor(b->most, text[2], 32));
    fputs("<span class=\"row-name\">", out);
    osw_report_html_text(out, op, 60);
    fputs(" <small>", out);
    osw_report_html_text(out, impl, 28);
    fputs("</small></span>", out);
    put_plot(out, a, b);
    fprintf(out, "<b>%s</b><small>%s</small></a>\n", text[0],
            isnan(b->light) ? "" : osw_report_percent(b->light, text[3], 32));
}

static void put_chart(const struct osw_report_html *h, const struct bar *bars,
                      size_t n, const struct axis *axis)
{
    fputs("<div class=\"speed\">\n", h->out);
    put_ticks(h->out, axis);
    for (size_t i = 0; i < n; i++)
        put_bar(h, axis, &bars[i]);
    fputs("</div>\n", h->out);
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

/* All bars of one baseline on one model of device. */
static void put_baseline(const struct osw_report_html *h,
                         const struct osw_report_versus *v,
                         const struct bar *bars, size_t n,
                         const struct axis *axis)
{
    char name[160];

    fputs("<h3>", h->out);
    osw_report_html_text(h->out,
                         osw_report_versus_name(h->file, v->baseline_id,
                                                v->device_id, name,
                                                sizeof(name)),
                         sizeof(name));
    fputs("</h3>\n<p class=\"note\">", h->out);
    osw_report_html_headline(h, v);
    fputs("</p>\n", h->out);
    if (n > 2 * ENDS) {
        put_chart(h, bars, ENDS, axis);
        put_folded(h, bars + ENDS, n - 2 * ENDS, axis);
        put_chart(h, bars + n - ENDS, ENDS, axis);
    } else if (n) {
        put_chart(h, bars, n, axis);
    }
}

static bool is_of(const struct bar *b, const struct osw_report_versus *v)
{
    return b->baseline == v->baseline_id && b->device == v->device_id;
}

int osw_report_html_speed(const struct osw_report_html *h,
                          struct osw_error *err)
{
    const struct osw_report_summary *s = h->summary;
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
              "over cells that pass; failed cells and the baseline's own are "
              "in no bar. Ticks with ends: the cells' 95&#160;% "
              "intervals, averaged: how well they were measured. Thin line: "
              "slowest to fastest cell.</p>\n",
              h->out);
    for (size_t i = 0; i < s->n_headlines; i++) {
        size_t first = 0, end;

        while (first < n && !is_of(&bars[first], &s->headlines[i]))
            first++;
        for (end = first; end < n && is_of(&bars[end], &s->headlines[i]);)
            end++;
        put_baseline(h, &s->headlines[i], bars + first, end - first, &axis);
    }
    osw_report_html_section_end(h->out);
    free(bars);
    return 0;
}
