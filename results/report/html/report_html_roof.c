/* results/report/html/report_html_roof.c - a roofline for each device model
 *
 * Operations per byte against operations per second, both logarithmic.  The
 * roof is what was measured: the highest rates of any cell that passes.  Points
 * that would lie on each other are one, which says how many it stands for.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/html/report_html.h"

enum {
    MAX_DEVICES = 8,
    MAX_POINTS = 2500, /* of a device; a coarser grid otherwise */
    N_COLOURS = 6,     /* of implementations; the rest shares one more */
    WIDTH = 860,
    HEIGHT = 380,
    LEFT = 64,
    RIGHT = 24,
    TOP = 12,
    BOTTOM = 42,
};

/* Cells that lie in one square of the grid. */
struct point {
    uint32_t square;
    uint32_t colour;
    uint32_t n;
    size_t cell; /* one of them */
};

struct plot {
    const struct osw_report_html *h;
    uint32_t device;
    double x0, x1, y0, y1; /* log10 */
    double gbps, gflops;   /* highest */
    uint32_t impl[N_COLOURS];
    size_t n_impl;
    struct point *points;
    size_t n_points, n_cells, n_timed;
};

static bool is_in(const struct plot *p, const struct osw_report_html_cell *c)
{
    return c->device == p->device && c->state == OSW_STATE_PASS &&
           c->t_median_ns > 0;
}

/* Excludes 0 and NaN, which have no logarithm, and rates no device reaches. */
static bool is_rate(double v)
{
    return v > 1e-9 && v < 1e24;
}

static bool has_point(const struct osw_report_html_cell *c)
{
    return is_rate(c->bytes) && is_rate(c->flops) && is_rate(c->gflops);
}

static void measure(struct plot *p)
{
    p->x0 = p->y0 = INFINITY;
    p->x1 = p->y1 = -INFINITY;
    for (size_t i = 0; i < p->h->n; i++) {
        const struct osw_report_html_cell *c = &p->h->cells[i];

        if (!is_in(p, c))
            continue;
        p->n_timed++;
        if (is_rate(c->gbps))
            p->gbps = fmax(p->gbps, c->gbps);
        if (is_rate(c->gflops))
            p->gflops = fmax(p->gflops, c->gflops);
        if (!has_point(c))
            continue;
        p->n_cells++;
        p->x0 = fmin(p->x0, log10(c->flops / c->bytes));
        p->x1 = fmax(p->x1, log10(c->flops / c->bytes));
        p->y0 = fmin(p->y0, log10(c->gflops));
    }
    p->x0 = floor(p->x0 - 0.05);
    p->x1 = fmax(ceil(p->x1 + 0.05), p->x0 + 2);
    p->y1 = ceil(log10(p->gflops) + 0.05);
    p->y0 = fmax(floor(p->y0 - 0.05), p->y1 - 9);
}

static double x_of(const struct plot *p, double v)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (log10(v) - p->x0) / (p->x1 - p->x0);
}

static double y_of(const struct plot *p, double v)
{
    double part = (log10(v) - p->y0) / (p->y1 - p->y0);

    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * fmin(fmax(part, 0), 1);
}

/* Implementations with most rows of the summary get a colour of their own. */
static void find_colours(struct plot *p)
{
    const struct osw_report_summary *s = p->h->summary;
    uint64_t n[N_COLOURS] = {0};

    for (size_t i = 0; i < s->n_rows; i++) {
        uint64_t all = 0;
        size_t k = 0;

        for (size_t j = 0; j < s->n_rows; j++)
            if (s->rows[j].impl_id == s->rows[i].impl_id)
                all += s->rows[j].n_cells;
        while (k < p->n_impl && p->impl[k] != s->rows[i].impl_id)
            k++;
        if (k < p->n_impl)
            continue;
        if (p->n_impl < N_COLOURS)
            p->n_impl++;
        for (k = p->n_impl; k-- > 0;) {
            if (n[k] >= all)
                break;
            if (k + 1 < N_COLOURS) {
                n[k + 1] = n[k];
                p->impl[k + 1] = p->impl[k];
            }
            n[k] = all;
            p->impl[k] = s->rows[i].impl_id;
        }
    }
}

static uint32_t colour_of(const struct plot *p, uint32_t impl)
{
    uint32_t k = 0;

    while (k < p->n_impl && p->impl[k] != impl)
        k++;
    return k;
}

static int by_square(const void *x, const void *y)
{
    const struct point *a = x, *b = y;

    if (a->square != b->square)
        return a->square < b->square ? -1 : 1;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    return a->cell < b->cell ? -1 : a->cell > b->cell;
}

static size_t merge(struct point *points, size_t n)
{
    size_t out = 0;

    qsort(points, n, sizeof(*points), by_square);
    for (size_t i = 0; i < n; i++)
        if (out && points[out - 1].square == points[i].square &&
            points[out - 1].colour == points[i].colour)
            points[out - 1].n += points[i].n;
        else
            points[out++] = points[i];
    return out;
}

static int make_points(struct plot *p, struct osw_error *err)
{
    p->points = calloc(p->n_cells + 1, sizeof(*p->points));
    if (!p->points)
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (int size = 3;; size *= 2) {
        size_t n = 0;

        for (size_t i = 0; i < p->h->n; i++) {
            const struct osw_report_html_cell *c = &p->h->cells[i];

            if (is_in(p, c) && has_point(c))
                p->points[n++] = (struct point){
                    (uint32_t)(y_of(p, c->gflops) / size) * 4096 +
                        (uint32_t)(x_of(p, c->flops / c->bytes) / size),
                    colour_of(p, c->impl), 1, i};
        }
        p->n_points = merge(p->points, n);
        if (p->n_points <= MAX_POINTS || size > HEIGHT)
            return 0;
    }
}

/* --- drawing --- */

static void put_axes(const struct plot *p)
{
    FILE *out = p->h->out;

    for (int v = (int)p->x0; v <= (int)p->x1; v++)
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
                "y2=\"%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\">%g</text>"
                "\n",
                x_of(p, pow(10, v)), TOP, x_of(p, pow(10, v)), HEIGHT - BOTTOM,
                x_of(p, pow(10, v)), HEIGHT - BOTTOM + 15, pow(10, v));
    for (int v = (int)p->y0; v <= (int)p->y1; v++)
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
                "y2=\"%.1f\"/><text class=\"tick left\" x=\"%d\" y=\"%.1f\">%g"
                "</text>\n",
                LEFT, y_of(p, pow(10, v)), WIDTH - RIGHT, y_of(p, pow(10, v)),
                LEFT - 6, y_of(p, pow(10, v)) + 4, pow(10, v));
    fprintf(out,
            "<text class=\"axis\" x=\"%d\" y=\"%d\">operations per byte"
            "</text><text class=\"axis\" transform=\"translate(14 %d) "
            "rotate(-90)\">GFLOP/s</text>\n",
            (LEFT + WIDTH) / 2, HEIGHT - 6, HEIGHT / 2 - 10);
}

/* From the bandwidth's slope to the arithmetic's ceiling. */
static void put_roof(const struct plot *p)
{
    FILE *out = p->h->out;
    double left = fmax(pow(10, p->x0), pow(10, p->y0) / p->gbps);
    double knee = p->gflops / p->gbps, right = pow(10, p->x1);

    if (!(p->gbps > 0) || !(p->gflops > 0))
        return;
    knee = fmin(fmax(knee, left), right);
    fprintf(out, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>\n",
            x_of(p, left), y_of(p, left * p->gbps), x_of(p, knee),
            y_of(p, fmin(knee * p->gbps, p->gflops)), x_of(p, right));
}

static void put_shape(FILE *out, uint32_t colour, double x, double y, double r)
{
    fprintf(out, "<path class=\"c%u\" d=\"", colour);
    switch (colour % 3) {
    case 0: /* disc */
        fprintf(out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0",
                x - r, y, r, r, 2 * r, r, r, -2 * r);
        break;
    case 1: /* square */
        fprintf(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", x - r, y - r, 2 * r, 2 * r,
                -2 * r);
        break;
    default: /* triangle */
        fprintf(out, "M%.1f %.1fl%.1f %.1fh%.1fz", x, y - 1.2 * r, 1.2 * r,
                2.2 * r, -2.4 * r);
    }
    fputs("\"/>", out);
}

static void put_point(const struct plot *p, const struct point *at)
{
    const struct osw_report_html_cell *c = &p->h->cells[at->cell];
    FILE *out = p->h->out;

    fprintf(out, "<a href=\"#cell=0x%016" PRIx64 "\"><title>", c->key);
    osw_report_html_text(out, osw_file_text(p->h->file, OSW_DICT_OP, c->op),
                         100);
    fputs(" / ", out);
    osw_report_html_text(out, osw_file_text(p->h->file, OSW_DICT_IMPL, c->impl),
                         60);
    fprintf(out, ": %.3g GFLOP/s, %.3g GB/s", c->gflops, c->gbps);
    if (at->n > 1)
        fprintf(out, "; %u cells here", at->n);
    fputs("</title>", out);
    put_shape(out, at->colour, x_of(p, c->flops / c->bytes), y_of(p, c->gflops),
              fmin(3 + 0.8 * log2(at->n), 7));
    fputs("</a>\n", out);
}

static void put_legend(const struct plot *p)
{
    FILE *out = p->h->out;
    bool other = false;

    fputs("<p class=\"legend\">", out);
    for (uint32_t k = 0; k < p->n_impl; k++) {
        fputs("<span class=\"key\"><svg width=\"14\" height=\"12\" "
              "aria-hidden=\"true\">",
              out);
        put_shape(out, k, 7, 6, 4);
        fputs("</svg> ", out);
        osw_report_html_text(
            out, osw_file_text(p->h->file, OSW_DICT_IMPL, p->impl[k]), 30);
        fputs("</span>", out);
    }
    for (size_t i = 0; i < p->n_points; i++)
        other = other || p->points[i].colour == p->n_impl;
    if (other) {
        fputs("<span class=\"key\"><svg width=\"14\" height=\"12\" "
              "aria-hidden=\"true\">",
              out);
        put_shape(out, N_COLOURS, 7, 6, 4);
        fputs("</svg> others</span>", out);
    }
    fputs("</p>\n", out);
}

static void put_plot(const struct plot *p)
{
    FILE *out = p->h->out;

    fputs("<h3>", out);
    osw_report_html_text(
        out, osw_file_text(p->h->file, OSW_DICT_DEVICE, p->device), 100);
    fprintf(out,
            "</h3>\n<p class=\"note\">%zu of %zu timed cells have bytes and "
            "operations. Line: the highest rates measured here, %.4g GB/s and "
            "%.4g GFLOP/s.</p>\n",
            p->n_cells, p->n_timed, p->gbps, p->gflops);
    if (p->n_points == 0)
        return;
    put_legend(p);
    fprintf(out,
            "<div class=\"scroll\"><svg class=\"chart roofline\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" "
            "aria-label=\"roofline of %zu cell%s\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, p->n_cells, osw_plural(p->n_cells));
    put_axes(p);
    for (size_t i = 0; i < p->n_points; i++)
        put_point(p, &p->points[i]);
    put_roof(p);
    fputs("</svg></div>\n", out);
}

int osw_report_html_roof(const struct osw_report_html *h, struct osw_error *err)
{
    uint32_t n = osw_file_dict_count(h->file, OSW_DICT_DEVICE);
    struct plot colours = {.h = h};
    int n_shown = 0, rc = 0;

    find_colours(&colours);
    osw_report_html_section(h->out, "roof", "Rooflines");
    for (uint32_t d = 0; d < n && n_shown < MAX_DEVICES && rc == 0; d++) {
        struct plot p = colours;

        p.device = d;
        measure(&p);
        if (p.n_timed == 0)
            continue;
        n_shown++;
        rc = p.n_cells ? make_points(&p, err) : 0;
        if (rc == 0)
            put_plot(&p);
        free(p.points);
    }
    if (n_shown == 0)
        fputs("<p class=\"note\">No cell that passes was timed.</p>\n", h->out);
    osw_report_html_section_end(h->out);
    return rc;
}
