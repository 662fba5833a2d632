/* results/report_html_map.c - heat map of operators and implementations
 *
 * Colour is the speedup (orange slower, blue faster), hatching the share of
 * cells that failed.  Ops are rows.  Implementations are columns while there
 * are few; where there are many, and most belong to one op, each op lists its
 * own.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report_html.h"

enum {
    MAX_COLUMNS = 16,
    MAX_TILES = 4000, /* the rest is said, not drawn */
    LABEL = 270,      /* pixels for an op's name */
    TILE_W = 74,
    TILE_H = 22,
    WIDE_W = 104, /* of a tile that says its implementation */
    WIDE_H = 34,
    WIDE_PER_LINE = 8,
    HEAD = 90, /* for slanted names of columns */
};

static uint64_t n_failed(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_FAIL] + r->n_group[OSW_GROUP_ERROR];
}

static uint64_t n_judged(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_PASS] + n_failed(r);
}

static void put_title(const struct osw_report_html *h,
                      const struct osw_report_row *r)
{
    FILE *out = h->out;
    char factor[32];

    fputs("<title>", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_OP, r->op_id),
                         200);
    fputs(" / ", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_IMPL, r->impl_id),
                         200);
    fprintf(out, ": %" PRIu64 " of %" PRIu64 " judged cells pass",
            r->n_group[OSW_GROUP_PASS], n_judged(r));
    if (n_judged(r))
        fprintf(out, " (%.0f %%)",
                100.0 * (double)r->n_group[OSW_GROUP_PASS] /
                    (double)n_judged(r));
    if (n_failed(r))
        fprintf(out, ", %" PRIu64 " fail, %" PRIu64 " error",
                r->n_group[OSW_GROUP_FAIL], r->n_group[OSW_GROUP_ERROR]);
    if (r->n_cells > n_judged(r))
        fprintf(out, ", %" PRIu64 " not judged or lost",
                r->n_cells - n_judged(r));
    if (r->n_timed)
        fprintf(
            out, "; speed-up %s, geometric mean of %" PRIu64,
            osw_report_factor(osw_report_geomean(r), factor, sizeof(factor)),
            r->n_timed);
    fputs("</title>", out);
}

/* What a tile says: failures first, else the speedup, else the verdict. */
static void put_value(FILE *out, const struct osw_report_row *r)
{
    char factor[32];

    if (n_failed(r))
        fprintf(out, "%" PRIu64 "/%" PRIu64, r->n_group[OSW_GROUP_PASS],
                n_judged(r));
    else if (r->n_timed)
        fputs(osw_report_factor(osw_report_geomean(r), factor, sizeof(factor)),
              out);
    else if (n_judged(r))
        fputs("pass", out);
    else
        fputs("&#8211;", out);
}

/* Of a tile's width: the share that failed, and enough to be seen. */
static int hatched(const struct osw_report_row *r, int width)
{
    double share = (double)n_failed(r) / (double)n_judged(r);

    return (int)fmax(10, share * width);
}

/* Words over hatching have a halo, over colour its contrast. */
static const char *ink_on(const struct osw_report_row *r)
{
    int shade = osw_report_html_shade(osw_report_geomean(r));
    bool strong = r->n_timed && (shade < 2 || shade > 6);

    if (n_failed(r) && (!r->n_timed || 4 * n_failed(r) > n_judged(r)))
        return "halo";
    if (n_failed(r))
        return strong ? "strong bold" : "mid bold";
    return strong ? "strong" : "mid";
}

static void put_tile(const struct osw_report_html *h,
                     const struct osw_report_row *r, int x, int y, bool wide)
{
    FILE *out = h->out;
    int w = wide ? WIDE_W : TILE_W, height = wide ? WIDE_H : TILE_H;
    int strip = n_failed(r) ? hatched(r, w - 2) : 0, middle = x + w / 2 - 1;
    const char *ink = ink_on(r);

    fputs("<a href=\"", out);
    osw_report_html_filter_link(h, r->op_id, r->impl_id);
    fputs("\">", out);
    put_title(h, r);
    if (r->n_timed)
        fprintf(out, "<rect class=\"tile s%d\"",
                osw_report_html_shade(osw_report_geomean(r)));
    else
        fprintf(out, "<rect class=\"tile %s\"", n_judged(r) ? "ok" : "none");
    fprintf(out, " x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, w - 2,
            height - 2);
    if (strip)
        fprintf(out,
                "<rect class=\"hatch\" x=\"%d\" y=\"%d\" width=\"%d\" "
                "height=\"%d\"/>",
                x, y, strip, height - 2);
    if (strcmp(ink, "halo") != 0)
        middle += strip / 2;
    fprintf(out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", ink, middle,
            y + height - (wide ? 7 : 6));
    put_value(out, r);
    fputs("</text>", out);
    if (wide) {
        fprintf(out, "<text class=\"%s small\" x=\"%d\" y=\"%d\">", ink, middle,
                y + 13);
        osw_report_html_text(
            out, osw_file_text(h->file, OSW_DICT_IMPL, r->impl_id), 14);
        fputs("</text>", out);
    }
    fputs("</a>\n", out);
}

static void put_op(const struct osw_report_html *h, uint32_t op, int y)
{
    FILE *out = h->out;
    const char *name = osw_file_text(h->file, OSW_DICT_OP, op);

    fputs("<a href=\"#op=", out);
    osw_report_html_uri(out, name);
    fprintf(out, "\"><text class=\"row\" x=\"%d\" y=\"%d\">", LABEL - 8, y);
    osw_report_html_text(out, name, 38);
    fputs("<title>", out);
    osw_report_html_text(out, name, 200);
    fputs("</title></text></a>\n", out);
}

static void open_svg(FILE *out, int width, int height, size_t n_ops)
{
    fprintf(out,
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
            "aria-label=\"heat map\"><svg class=\"chart map\" width=\"%d\" "
            "height=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" "
            "aria-label=\"speed-up and failures of %zu ops by "
            "implementation\">\n",
            width, height, width, height, n_ops);
}

/* --- implementations as columns --- */

struct column {
    uint32_t impl;
    size_t n_ops;
};

static int by_ops(const void *x, const void *y)
{
    const struct column *a = x, *b = y;

    if (a->n_ops != b->n_ops)
        return a->n_ops > b->n_ops ? -1 : 1;
    return a->impl < b->impl ? -1 : a->impl > b->impl;
}

/* Distinct implementations, those of most ops first; at most `size`, and one
 * more in the return value when there are more.
 */
static size_t find_columns(const struct osw_report_summary *s,
                           struct column *columns, size_t size)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        size_t k = 0;

        while (k < n && columns[k].impl != s->rows[i].impl_id)
            k++;
        if (k == n) {
            if (n == size)
                return size + 1;
            columns[n++] = (struct column){s->rows[i].impl_id, 0};
        }
        columns[k].n_ops++;
    }
    qsort(columns, n, sizeof(*columns), by_ops);
    return n;
}

static void put_matrix(const struct osw_report_html *h, size_t n_tiles,
                       size_t n_ops, const struct column *columns, size_t n)
{
    const struct osw_report_summary *s = h->summary;
    FILE *out = h->out;
    int y = HEAD - TILE_H;

    open_svg(out, LABEL + (int)n * TILE_W + 70, HEAD + (int)n_ops * TILE_H + 4,
             n_ops);
    for (size_t k = 0; k < n; k++) {
        int x = LABEL + (int)k * TILE_W + TILE_W / 2;
        const char *name =
            osw_file_text(h->file, OSW_DICT_IMPL, columns[k].impl);

        fprintf(out,
                "<text class=\"col\" transform=\"translate(%d %d) "
                "rotate(-35)\">",
                x, HEAD - 8);
        osw_report_html_text(out, *name ? name : "(none)", 18);
        fputs("<title>", out);
        osw_report_html_text(out, name, 200);
        fputs("</title></text>\n", out);
    }
    for (size_t i = 0; i < n_tiles; i++) {
        size_t k = 0;

        if (i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id) {
            y += TILE_H;
            put_op(h, s->rows[i].op_id, y + TILE_H - 7);
        }
        while (k < n && columns[k].impl != s->rows[i].impl_id)
            k++;
        put_tile(h, &s->rows[i], LABEL + (int)k * TILE_W, y, false);
    }
    fputs("</svg></div>\n", out);
}

/* --- each op with implementations of its own --- */

static void put_wall(const struct osw_report_html *h, size_t n_tiles,
                     size_t n_ops)
{
    const struct osw_report_summary *s = h->summary;
    int lines = 0, y = -WIDE_H;
    size_t at = 0;

    for (size_t i = 0; i < n_tiles; i++) {
        bool first = i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id;

        at = first ? 0 : at + 1;
        lines += at % WIDE_PER_LINE == 0;
    }
    open_svg(h->out, LABEL + WIDE_PER_LINE * WIDE_W + 4, lines * WIDE_H + 8,
             n_ops);
    for (size_t i = 0; i < n_tiles; i++) {
        bool first = i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id;

        at = first ? 0 : at + 1;
        if (at % WIDE_PER_LINE == 0)
            y += WIDE_H;
        if (first)
            put_op(h, s->rows[i].op_id, y + 20);
        put_tile(h, &s->rows[i], LABEL + (int)(at % WIDE_PER_LINE) * WIDE_W, y,
                 true);
    }
    fputs("</svg></div>\n", h->out);
}

static void put_legend(FILE *out)
{
    static const char *const names[9] = {"&#8804;0.25x", "0.5x", "0.7x",
                                         "0.9x",         "1x",   "1.4x",
                                         "2x",           "4x",   ">4x"};

    fputs("<p class=\"legend\"><span>slower</span>", out);
    for (int i = 0; i < 9; i++)
        fprintf(out,
                "<span class=\"key\"><svg width=\"22\" height=\"12\" "
                "aria-hidden=\"true\"><rect class=\"s%d\" width=\"22\" "
                "height=\"12\"/></svg> %s</span>",
                i, names[i]);
    fputs("<span>faster</span><span class=\"key\"><svg width=\"22\" "
          "height=\"12\" aria-hidden=\"true\"><rect class=\"hatch\" "
          "width=\"22\" height=\"12\"/></svg> share that failed: passed/judged"
          "</span><span class=\"key\"><svg width=\"22\" height=\"12\" "
          "aria-hidden=\"true\"><rect class=\"ok\" width=\"22\" "
          "height=\"12\"/></svg> all pass, not timed</span></p>\n",
          out);
}

int osw_report_html_map(const struct osw_report_html *h, struct osw_error *err)
{
    const struct osw_report_summary *s = h->summary;
    struct column columns[MAX_COLUMNS];
    size_t n_columns = find_columns(s, columns, MAX_COLUMNS);
    size_t n_tiles = s->n_rows < MAX_TILES ? s->n_rows : MAX_TILES;
    size_t n_ops = 0;

    (void)err;
    for (size_t i = 0; i < n_tiles; i++)
        n_ops += i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id;
    osw_report_html_section(h->out, "map", "Ops and implementations");
    fputs("<p class=\"note\">Geometric mean of the speed-ups of cells that "
          "pass. A tile leads to its cells.</p>\n",
          h->out);
    put_legend(h->out);
    if (n_columns <= MAX_COLUMNS)
        put_matrix(h, n_tiles, n_ops, columns, n_columns);
    else
        put_wall(h, n_tiles, n_ops);
    if (s->n_rows > n_tiles)
        fprintf(h->out,
                "<p class=\"note\">%zu of %zu pairs of op and implementation "
                "are drawn.</p>\n",
                n_tiles, s->n_rows);
    osw_report_html_section_end(h->out);
    return 0;
}
