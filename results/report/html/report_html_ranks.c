/* results/report/html/report_html_ranks.c - bandwidth of collective ops over
 * the size, a chart for each op, number of ranks and model of device, a line
 * per implementation
 *
 * Both axes are logarithmic.  A size that several cells of an implementation
 * have (dtypes, ways to combine) is shown at the highest bandwidth of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "results/report/html/report_html.h"
#include "results/report/report_order.h"

enum {
    MAX_CHARTS = 24,
    N_COLOURS = 6, /* of implementations; the rest shares one more */
    WIDTH = 860,
    HEIGHT = 320,
    LEFT = 64,
    RIGHT = 24,
    TOP = 12,
    BOTTOM = 42,
};

/* Cells of one op, world and model: [from, to) of the order. */
struct chart {
    const struct osw_report_html *h;
    const struct osw_report_html_cell *const *cells;
    size_t n;
    double x0, x1; /* log2 of bytes */
    double y0, y1; /* log10 of GB/s */
    bool named;    /* the model: there are others */
};

static bool is_shown(const struct osw_report_html_cell *c)
{
    return c->state == OSW_STATE_PASS && c->world > 1 && c->coll_bytes >= 1 &&
           c->busbw > 1e-9 && c->busbw < 1e24;
}

/* Of equal sizes the fastest comes first. */
static int in_order(const void *x, const void *y)
{
    const struct osw_report_html_cell *a = *(const void *const *)x,
                                      *b = *(const void *const *)y;

    OSW_REPORT_BY(a->op, b->op);
    OSW_REPORT_BY(a->world, b->world);
    OSW_REPORT_BY(a->device, b->device);
    OSW_REPORT_BY(a->impl, b->impl);
    OSW_REPORT_BY(a->coll_bytes, b->coll_bytes);
    OSW_REPORT_BY(b->busbw, a->busbw);
    OSW_REPORT_BY(a->row, b->row);
    return 0;
}

static void measure(struct chart *c)
{
    c->x0 = c->y0 = INFINITY;
    c->x1 = c->y1 = -INFINITY;
    for (size_t i = 0; i < c->n; i++) {
        c->x0 = fmin(c->x0, log2(c->cells[i]->coll_bytes));
        c->x1 = fmax(c->x1, log2(c->cells[i]->coll_bytes));
        c->y0 = fmin(c->y0, log10(c->cells[i]->busbw));
        c->y1 = fmax(c->y1, log10(c->cells[i]->busbw));
    }
    c->x0 = floor(c->x0 - 0.1);
    c->x1 = fmax(ceil(c->x1 + 0.1), c->x0 + 2);
    c->y0 = floor(c->y0 - 0.05);
    c->y1 = fmax(ceil(c->y1 + 0.05), c->y0 + 1);
}

static double x_of(const struct chart *c, double log2_bytes)
{
    return LEFT +
           (WIDTH - LEFT - RIGHT) * (log2_bytes - c->x0) / (c->x1 - c->x0);
}

static double y_of(const struct chart *c, double log10_rate)
{
    return HEIGHT - BOTTOM -
           (HEIGHT - TOP - BOTTOM) * (log10_rate - c->y0) / (c->y1 - c->y0);
}

/* --- drawing --- */

static void put_size(FILE *out, int log2_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int unit = log2_bytes / 10 < 5 ? log2_bytes / 10 : 5;

    fprintf(out, "%.0f %s", exp2(log2_bytes - 10 * unit), units[unit]);
}

static void put_axes(const struct chart *c)
{
    FILE *out = c->h->out;
    int step = (int)ceil((c->x1 - c->x0) / 10);

    for (int v = (int)c->x0; v <= (int)c->x1; v += step) {
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                "y2=\"%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">",
                x_of(c, v), TOP, x_of(c, v), HEIGHT - BOTTOM, x_of(c, v),
                HEIGHT - BOTTOM + 15);
        put_size(out, v);
        fputs("</text>\n", out);
    }
    for (int v = (int)c->y0; v <= (int)c->y1; v++)
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                "y2=\"%.1f\"/><text class=\"tick left\" x=\"%d\" y=\"%.1f\">%g"
                "</text>\n",
                LEFT, y_of(c, v), WIDTH - RIGHT, y_of(c, v), LEFT - 6,
                y_of(c, v) + 4, pow(10, v));
    fprintf(out,
            "<text class=\"axis\" x=\"%d\" y=\"%d\">size</text><text "
            "class=\"axis\" transform=\"translate(14 %d) rotate(-90)\">bus "
            "bandwidth, GB/s</text>\n",
            (LEFT + WIDTH) / 2, HEIGHT - 6, HEIGHT / 2 - 10);
}

static void put_point(const struct chart *c,
                      const struct osw_report_html_cell *cell, size_t colour)
{
    FILE *out = c->h->out;
    char time[32];

    fprintf(out, "<a href=\"#cell=0x%016" PRIx64 "\"><title>", cell->key);
    osw_report_html_text(
        out, osw_file_text(c->h->file, OSW_DICT_IMPL, cell->impl), 60);
    fprintf(out, ": %.0f bytes, %s, bus %.4g GB/s</title>", cell->coll_bytes,
            osw_report_duration(cell->t_median_ns, time, sizeof(time)),
            cell->busbw);
    fprintf(out, "<circle class=\"c%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/></a>",
            colour, x_of(c, log2(cell->coll_bytes)),
            y_of(c, log10(cell->busbw)));
}

/* Cells of one implementation: [n] from `first`. */
static void put_line(const struct chart *c, size_t first, size_t n,
                     size_t colour)
{
    const struct osw_report_html_cell *const *at = c->cells + first;
    FILE *out = c->h->out;

    fprintf(out, "<path class=\"line c%zu\" d=\"", colour);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || at[i]->coll_bytes != at[i - 1]->coll_bytes)
            fprintf(out, "%s%.1f %.1f", i ? "L" : "M",
                    x_of(c, log2(at[i]->coll_bytes)),
                    y_of(c, log10(at[i]->busbw)));
    fputs("\"/>\n", out);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || at[i]->coll_bytes != at[i - 1]->coll_bytes)
            put_point(c, at[i], colour);
    putc('\n', out);
}

static size_t end_of_impl(const struct chart *c, size_t first)
{
    size_t end = first + 1;

    while (end < c->n && c->cells[end]->impl == c->cells[first]->impl)
        end++;
    return end;
}

static void put_legend(const struct chart *c)
{
    FILE *out = c->h->out;
    size_t colour = 0;

    fputs("<p class=\"legend\">", out);
    for (size_t i = 0; i < c->n; i = end_of_impl(c, i)) {
        fprintf(out,
                "<span class=\"key\"><svg width=\"14\" height=\"12\" "
                "aria-hidden=\"true\"><circle class=\"c%zu\" cx=\"7\" cy=\"6\" "
                "r=\"4\"/></svg> ",
                colour);
        osw_report_html_text(
            out, osw_file_text(c->h->file, OSW_DICT_IMPL, c->cells[i]->impl),
            30);
        fputs("</span>", out);
        colour += colour < N_COLOURS;
    }
    fputs("</p>\n", out);
}

static void put_chart(struct chart *c)
{
    FILE *out = c->h->out;
    size_t colour = 0;

    measure(c);
    fputs("<h3>", out);
    osw_report_html_text(
        out, osw_file_text(c->h->file, OSW_DICT_OP, c->cells[0]->op), 100);
    fprintf(out, ", %" PRIu32 " ranks", c->cells[0]->world);
    if (c->named) {
        fputs(" on ", out);
        osw_report_html_text(
            out,
            osw_file_text(c->h->file, OSW_DICT_DEVICE, c->cells[0]->device),
            60);
    }
    fputs("</h3>\n", out);
    put_legend(c);
    fprintf(out,
            "<div class=\"scroll\"><svg class=\"chart ranks\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" "
            "aria-label=\"bandwidth of %zu cell%s\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, c->n, osw_plural(c->n));
    put_axes(c);
    for (size_t i = 0, end; i < c->n; i = end) {
        end = end_of_impl(c, i);
        put_line(c, i, end - i, colour);
        colour += colour < N_COLOURS;
    }
    fputs("</svg></div>\n", out);
}

static void put_charts(const struct osw_report_html *h,
                       const struct osw_report_html_cell **cells, size_t n)
{
    int n_charts = 0;
    bool several = false;

    for (size_t i = 1; i < n; i++)
        several |= cells[i]->device != cells[0]->device;
    osw_report_html_section(h->out, "ranks", "Bandwidth between ranks");
    for (size_t i = 0, end; i < n && n_charts < MAX_CHARTS; i = end) {
        struct chart c = {.h = h, .cells = cells + i, .named = several};

        for (end = i; end < n && cells[end]->op == cells[i]->op &&
                      cells[end]->world == cells[i]->world &&
                      cells[end]->device == cells[i]->device;
             end++)
            ;
        c.n = end - i;
        put_chart(&c);
        n_charts++;
    }
    osw_report_html_section_end(h->out);
}

bool osw_report_html_has_ranks(const struct osw_report_html *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (is_shown(&h->cells[i]))
            return true;
    return false;
}

int osw_report_html_ranks(const struct osw_report_html *h,
                          struct osw_error *err)
{
    const struct osw_report_html_cell **cells;
    size_t n = 0;

    if (!osw_report_html_has_ranks(h))
        return 0;
    cells = calloc(h->n, sizeof(*cells));
    if (!cells)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (size_t i = 0; i < h->n; i++)
        if (is_shown(&h->cells[i]))
            cells[n++] = &h->cells[i];
    qsort(cells, n, sizeof(*cells), in_order);
    put_charts(h, cells, n);
    free(cells);
    return 0;
}
