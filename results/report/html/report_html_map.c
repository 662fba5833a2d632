/* results/report/html/report_html_map.c - a card for each op, a tile for each
 * speedup
 *
 * Colour is the speedup (orange slower, blue faster), hatching the share of
 * cells that failed.  An implementation has a tile for each baseline.  Cards
 * fill the width of the window, so that few cases make no sparse table.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/html/report_html.h"
#include "results/report/report_versus.h"

enum { MAX_TILES = 4000 /* the rest is said, not drawn */ };

static uint64_t n_failed(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_FAIL] + r->n_group[OSW_GROUP_ERROR];
}

static uint64_t n_judged(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_PASS] + n_failed(r);
}

static void put_title(const struct osw_report_html *h,
                      const struct osw_report_row *r,
                      const struct osw_report_versus *v)
{
    FILE *out = h->out;
    char factor[32], name[160];

    fputs(" title=\"", out);
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
    if (v) {
        fprintf(out, "; speed-up %s ",
                osw_report_factor(osw_report_versus_geomean(v), factor,
                                  sizeof(factor)));
        osw_report_html_text(out,
                             osw_report_versus_name(h->file, v->baseline_id,
                                                    v->device_id, name,
                                                    sizeof(name)),
                             sizeof(name));
        fprintf(out, ", geometric mean of %" PRIu64, v->n);
    }
    fputs("\"", out);
}

/* What a tile says below its implementation. */
static void put_value(const struct osw_report_html *h,
                      const struct osw_report_row *r,
                      const struct osw_report_versus *v)
{
    FILE *out = h->out;
    char factor[32], name[160];

    fputs("<b>", out);
    if (n_failed(r))
        fprintf(out, "%" PRIu64 "/%" PRIu64 " pass", r->n_group[OSW_GROUP_PASS],
                n_judged(r));
    else if (v)
        fputs(osw_report_factor(osw_report_versus_geomean(v), factor,
                                sizeof(factor)),
              out);
    else if (n_judged(r))
        fputs("pass", out);
    else
        fputs("not judged", out);
    fputs("</b> <small>", out);
    if (n_failed(r) && v)
        fprintf(out, "%s ",
                osw_report_factor(osw_report_versus_geomean(v), factor,
                                  sizeof(factor)));
    if (v)
        osw_report_html_text(out,
                             osw_report_versus_name(h->file, v->baseline_id,
                                                    v->device_id, name,
                                                    sizeof(name)),
                             48);
    else if (r->n_own)
        fputs("the baseline", out);
    fputs("</small>", out);
}

static void put_tile(const struct osw_report_html *h,
                     const struct osw_report_row *r,
                     const struct osw_report_versus *v)
{
    FILE *out = h->out;

    fputs("<a class=\"tile ", out);
    if (v && !v->oracle)
        fprintf(out, "s%d",
                osw_report_html_shade(osw_report_versus_geomean(v)));
    else
        fputs(n_judged(r) ? "ok" : "none", out);
    if (n_failed(r)) /* tenths of its width */
        fprintf(out, " h%d",
                (int)ceil(10 * (double)n_failed(r) / (double)n_judged(r)));
    fputs("\" href=\"", out);
    osw_report_html_filter_link(h, r->op_id, r->impl_id);
    fputs("\"", out);
    put_title(h, r, v);
    fputs("><span>", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_IMPL, r->impl_id),
                         28);
    fputs("</span>", out);
    put_value(h, r, v);
    fputs("</a>\n", out);
}

static void put_op(const struct osw_report_html *h, uint32_t op)
{
    FILE *out = h->out;
    const char *name = osw_file_text(h->file, OSW_DICT_OP, op);

    fputs("<li><a class=\"op\" href=\"#op=", out);
    osw_report_html_uri(out, name);
    fputs("\">", out);
    osw_report_html_text(out, name, 80);
    fputs("</a>\n", out);
}

static void put_cards(const struct osw_report_html *h, size_t n_tiles)
{
    const struct osw_report_summary *s = h->summary;

    fputs("<ul class=\"map\">\n", h->out);
    for (size_t i = 0; i < n_tiles; i++) {
        const struct osw_report_versus *v = osw_report_versus_next(s, i, NULL);

        if (i == 0 || s->rows[i].op_id != s->rows[i - 1].op_id) {
            fputs(i ? "</li>\n" : "", h->out);
            put_op(h, s->rows[i].op_id);
        }
        do {
            put_tile(h, &s->rows[i], v);
            v = v ? osw_report_versus_next(s, i, v) : NULL;
        } while (v);
    }
    fputs(n_tiles ? "</li></ul>\n" : "</ul>\n", h->out);
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
          "height=\"12\"/></svg> pass, not compared</span></p>\n",
          out);
}

int osw_report_html_map(const struct osw_report_html *h, struct osw_error *err)
{
    const struct osw_report_summary *s = h->summary;
    size_t n_tiles = s->n_rows < MAX_TILES ? s->n_rows : MAX_TILES;

    (void)err;
    osw_report_html_section(h->out, "map", "Ops and implementations");
    fputs("<p class=\"note\">Geometric mean of the speed-ups of cells that "
          "pass, one for each baseline. A tile leads to its cells.</p>\n",
          h->out);
    put_legend(h->out);
    put_cards(h, n_tiles);
    if (s->n_rows > n_tiles)
        fprintf(h->out,
                "<p class=\"note\">%zu of %zu pairs of op and implementation "
                "are drawn.</p>\n",
                n_tiles, s->n_rows);
    osw_report_html_section_end(h->out);
    return 0;
}
