/* results/report/html/report_html_history.c - times over campaigns, as lines
 *
 * Findings of results/history/history.h, the gravest first, each with the line
 * of its cell; then the cells that take longest.  What all cells of a place
 * have in common is taken out of the lines, and has a chart of its own.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "results/history/history_parts.h"
#include "results/report/html/report_html.h"

enum {
    MAX_LINES = 24,
    MAX_PLAIN = 6, /* of cells without a finding */
    MAX_ROWS = 60, /* of the table */
    WIDTH = 400,
    HEIGHT = 128,
    LEFT = 58,
    RIGHT = 10,
    TOP = 8,
    FLOOR = 96, /* where the plot ends; verdicts stand below it */
    STRIP = 106,
};

struct chart {
    const osw_history_t *h;
    struct osw_history_view v;
    FILE *out;
    double least, most; /* of y */
};

/* --- a line --- */

static double x_of(const struct chart *c, uint32_t campaign)
{
    double n = c->v.n_campaigns > 1 ? (double)c->v.n_campaigns - 1 : 1;

    return LEFT + (WIDTH - LEFT - RIGHT) * (double)campaign / n;
}

static double y_of(const struct chart *c, double y)
{
    double part = (y - c->least) / (c->most - c->least);

    return FLOOR - (FLOOR - TOP) * fmin(fmax(part, 0), 1);
}

static const struct osw_history_place *
place_of(const struct chart *c, const struct osw_history_point *p)
{
    return &c->v.places[p->place];
}

/* ln of the time without what the place has in common; NaN. */
static double value_of(const struct chart *c, const struct osw_history_point *p)
{
    return (double)p->x - (double)place_of(c, p)->shift;
}

static void reach(struct chart *c, double y)
{
    if (isnan(y))
        return;
    c->least = fmin(c->least, y);
    c->most = fmax(c->most, y);
}

/* No less than 10 % high, so that noise looks like noise. */
static void widen(struct chart *c)
{
    double missing = log(1.1) - (c->most - c->least);

    if (isinf(c->least))
        c->least = c->most = 0;
    missing = fmax(missing, 0.1 * (c->most - c->least));
    c->least -= missing / 2;
    c->most += missing / 2;
}

static void open_chart(const struct chart *c, const char *label)
{
    fprintf(c->out,
            "<svg class=\"chart line\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">"
            "<line class=\"base\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>",
            WIDTH, HEIGHT, WIDTH, HEIGHT, label, LEFT, FLOOR, WIDTH - RIGHT,
            FLOOR);
}

/* First and last campaign's day below it. */
static void close_chart(const struct chart *c)
{
    const struct osw_history_campaign *all = c->v.campaigns;

    for (int last = 0; last < 2; last++) {
        size_t i = last ? c->v.n_campaigns - 1 : 0;
        char day[11]; /* 2026-12-31 */

        fprintf(c->out, "<text class=\"tick %s\" x=\"%d\" y=\"%d\">",
                last ? "left" : "start", last ? WIDTH - RIGHT : LEFT,
                HEIGHT - 6);
        snprintf(day, sizeof(day), "%s",
                 osw_history_word(c->h, all[i].created));
        osw_report_html_text(c->out, day, 0);
        fputs("</text>", c->out);
    }
    fputs("</svg>", c->out);
}

static void put_point_title(const struct chart *c,
                            const struct osw_history_point *p)
{
    const struct osw_history_place *place = place_of(c, p);
    const struct osw_history_campaign *at = &c->v.campaigns[place->campaign];
    char text[32];

    fputs("<title>", c->out);
    osw_report_html_text(c->out, osw_history_word(c->h, at->created), 40);
    fputs(", ", c->out);
    osw_report_html_text(c->out, osw_history_word(c->h, at->path), 120);
    fputs(", ", c->out);
    osw_report_html_text(c->out, osw_history_word(c->h, place->host), 60);
    fprintf(c->out, ": %s", osw_state_name((enum osw_state)p->status));
    if (!isnan((double)p->x))
        fprintf(c->out, ", %s",
                osw_report_duration(exp((double)p->x), text, sizeof(text)));
    fputs("</title>", c->out);
}

static void put_point(const struct chart *c, const struct osw_history_point *p)
{
    double x = x_of(c, place_of(c, p)->campaign), v = value_of(c, p);
    bool pass = p->status == OSW_STATE_PASS;
    double y = pass && !isnan(v) ? y_of(c, v) : STRIP;

    fputs("<g>", c->out);
    put_point_title(c, p);
    if (pass)
        fprintf(c->out,
                "<circle class=\"f-pass\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/>",
                x, y);
    else
        fprintf(c->out, "<path class=\"cross\" d=\"M%.1f %.1fl6 6m0-6l-6 6\"/>",
                x - 3, y - 3);
    fputs("</g>", c->out);
}

/* Times taken otherwise (timer, caches) are not joined. */
static void put_line(const struct chart *c, const struct osw_history_series *s)
{
    const struct osw_history_point *before = NULL;

    fputs("<path class=\"course\" d=\"M0 0", c->out);
    for (size_t i = s->first; i < s->first + s->n; i++) {
        const struct osw_history_point *p = &c->v.points[i];
        double v = value_of(c, p);

        if (isnan(v) || p->status != OSW_STATE_PASS)
            continue;
        fprintf(c->out, "%c%.1f %.1f",
                before && before->timer == p->timer && before->cold == p->cold
                    ? 'L'
                    : 'M',
                x_of(c, place_of(c, p)->campaign), y_of(c, v));
        before = p;
    }
    fputs("\"/>", c->out);
}

static void put_level(const struct chart *c, double x0, double x1, double level)
{
    if (!isnan(level))
        fprintf(c->out,
                "<line class=\"level\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" "
                "y2=\"%.1f\"/>",
                x0, y_of(c, level), x1, y_of(c, level));
}

/* Where it changed, and the levels on both sides. */
static void put_change(const struct chart *c,
                       const struct osw_history_finding *f)
{
    uint32_t since = osw_history_since(c->h, f);
    double x, shift = 0;

    if (since == OSW_HISTORY_NONE)
        return;
    x = x_of(c, since) - (x_of(c, 1) - x_of(c, 0)) / 2;
    if (f->since != OSW_HISTORY_NONE)
        shift = (double)place_of(c, &c->v.points[f->since])->shift;
    fprintf(c->out,
            "<line class=\"since\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" "
            "y2=\"%d\"/>",
            x, TOP, x, STRIP + 5);
    if (f->drifts || f->against_baseline)
        return;
    put_level(c, LEFT, x, log(f->was_ns) - shift);
    put_level(c, x, WIDTH - RIGHT, log(f->now_ns) - shift);
}

static void put_scale(const struct chart *c)
{
    char text[32];

    for (int high = 0; high < 2; high++)
        fprintf(c->out, "<text class=\"tick left\" x=\"%d\" y=\"%d\">%s</text>",
                LEFT - 6, high ? TOP + 8 : FLOOR,
                osw_report_duration(exp(high ? c->most : c->least), text,
                                    sizeof(text)));
}

static void put_series(struct chart *c, const struct osw_history_series *s,
                       const struct osw_history_finding *f)
{
    bool timed = false;

    c->least = INFINITY;
    c->most = -INFINITY;
    for (size_t i = s->first; i < s->first + s->n; i++)
        if (c->v.points[i].status == OSW_STATE_PASS)
            reach(c, value_of(c, &c->v.points[i]));
    timed = !isinf(c->least);
    widen(c);
    open_chart(c, "times of a cell over campaigns");
    if (timed)
        put_scale(c);
    if (f)
        put_change(c, f);
    put_line(c, s);
    for (size_t i = s->first; i < s->first + s->n; i++)
        put_point(c, &c->v.points[i]);
    close_chart(c);
}

/* --- which lines --- */

static const struct osw_history_series *series_of(const struct chart *c,
                                                  uint32_t cell, uint32_t model)
{
    for (size_t i = 0; i < c->v.n_series; i++) {
        const struct osw_history_series *s = &c->v.series[i];
        const struct osw_history_point *p = &c->v.points[s->first];

        if (s->n && p->cell == cell &&
            (model == OSW_HISTORY_NONE || place_of(c, p)->model == model))
            return s;
    }
    return NULL;
}

static void put_figure(struct chart *c, const struct osw_history_series *s,
                       const struct osw_history_finding *f)
{
    const struct osw_history_cell *cell =
        &c->v.cells[c->v.points[s->first].cell];

    fprintf(c->out, "<figure><figcaption><a href=\"#cell=0x%016" PRIx64 "\">",
            cell->key);
    osw_report_html_text(c->out, osw_history_word(c->h, cell->op), 40);
    fputs("</a> ", c->out);
    osw_report_html_text(c->out, osw_history_word(c->h, cell->impl), 20);
    if (f)
        fprintf(c->out, ": <b>%s</b>", osw_history_name(f->kind));
    if (f && !isnan(f->effect))
        fprintf(c->out, " %+.1f %%", 100 * expm1(f->effect));
    fputs("<br><span class=\"note mono\">", c->out);
    osw_report_html_text(c->out, osw_history_word(c->h, cell->of), 52);
    fputs("</span></figcaption>", c->out);
    put_series(c, s, f);
    fputs("</figure>\n", c->out);
}

/* The last time of a series; NaN. */
static double last_of(const struct chart *c, const struct osw_history_series *s)
{
    for (size_t i = s->first + s->n; i-- > s->first;)
        if (!isnan((double)c->v.points[i].x))
            return (double)c->v.points[i].x;
    return NAN;
}

/* Those that take longest, first to last; how many. */
static size_t find_longest(const struct chart *c, size_t longest[MAX_PLAIN])
{
    size_t n = 0;

    for (size_t i = 0; i < c->v.n_series; i++) {
        double v = last_of(c, &c->v.series[i]);
        size_t k = n;

        if (c->v.series[i].n < 2 || isnan(v))
            continue;
        while (k > 0 && v > last_of(c, &c->v.series[longest[k - 1]]))
            k--;
        if (k == MAX_PLAIN)
            continue;
        n += n < MAX_PLAIN;
        memmove(&longest[k + 1], &longest[k], (n - k - 1) * sizeof(*longest));
        longest[k] = i;
    }
    return n;
}

static void put_lines(struct chart *c)
{
    size_t longest[MAX_PLAIN], n = 0;

    fputs("<div class=\"figures\">\n", c->out);
    for (size_t i = 0; i < c->v.n_findings && n < MAX_LINES; i++) {
        const struct osw_history_finding *f = &c->v.findings[i];
        const struct osw_history_series *s =
            f->cell == OSW_HISTORY_NONE ? NULL
                                        : series_of(c, f->cell, f->model);

        if (!s)
            continue;
        put_figure(c, s, f);
        n++;
    }
    fputs("</div>\n", c->out);
    n = find_longest(c, longest);
    if (n)
        fputs("<h3>Cells that take longest</h3>\n", c->out);
    fputs("<div class=\"figures\">\n", c->out);
    for (size_t i = 0; i < n; i++)
        put_figure(c, &c->v.series[longest[i]], NULL);
    fputs("</div>\n", c->out);
}

/* --- what all cells have in common --- */

static void put_shift(struct chart *c)
{
    const struct osw_history_place *all = c->v.places;

    c->least = c->most = 0;
    for (size_t i = 0; i < c->v.n_places; i++)
        reach(c, (double)all[i].shift);
    widen(c);
    fputs("<h3>All cells together</h3>\n<figure><figcaption>what the cells of "
          "a node's devices have in common, slower upwards</figcaption>",
          c->out);
    open_chart(c, "what all cells have in common, over campaigns");
    fprintf(c->out,
            "<line class=\"level\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" "
            "y2=\"%.1f\"/>",
            LEFT, y_of(c, 0), WIDTH - RIGHT, y_of(c, 0));
    for (int high = 0; high < 2; high++)
        fprintf(c->out,
                "<text class=\"tick left\" x=\"%d\" y=\"%d\">%+.1f "
                "%%</text>",
                LEFT - 6, high ? TOP + 8 : FLOOR,
                100 * expm1(high ? c->most : c->least));
    for (size_t i = 0; i < c->v.n_places; i++) {
        fputs("<g><title>", c->out);
        osw_report_html_text(c->out, osw_history_word(c->h, all[i].host), 60);
        fputs(", ", c->out);
        osw_report_html_text(c->out, osw_history_word(c->h, all[i].model), 60);
        fprintf(c->out,
                ": %+.2f %%, %zu cell%s timed</title><circle "
                "class=\"f-pass\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.6\"/></g>",
                100 * expm1((double)all[i].shift), all[i].n_timed,
                osw_plural(all[i].n_timed), x_of(c, all[i].campaign),
                y_of(c, (double)all[i].shift));
    }
    close_chart(c);
    fputs("</figure>\n", c->out);
}

/* --- findings as text --- */

static void put_words(const struct chart *c,
                      const struct osw_history_finding *f,
                      void (*say)(const osw_history_t *h,
                                  const struct osw_history_finding *f,
                                  struct osw_text *out))
{
    struct osw_text t = OSW_TEXT_INIT;
    const char *words;

    say(c->h, f, &t);
    words = osw_text_str(&t);
    osw_report_html_text(c->out, words ? words : "?", 300);
    osw_text_free(&t);
}

static void put_finding(const struct chart *c,
                        const struct osw_history_finding *f)
{
    uint32_t since = osw_history_since(c->h, f);

    fprintf(c->out, "<tr><td title=\"%s\">%s%s</td><td class=\"case\">",
            osw_history_text(f->kind), osw_history_name(f->kind),
            f->known >= 0 ? " (known)" : "");
    put_words(c, f, osw_history_what);
    fputs("</td><td class=\"n\">", c->out);
    if (!isnan(f->effect)) {
        fprintf(c->out, "%+.1f %%", 100 * expm1(f->effect));
        if (!isnan(f->half))
            fprintf(c->out, " <small>[%+.1f, %+.1f]</small>",
                    100 * expm1(f->effect - f->half),
                    100 * expm1(f->effect + f->half));
    } else if (f->was)
        fprintf(c->out, "%s &#8594; %s", osw_state_name((enum osw_state)f->was),
                f->is ? osw_state_name((enum osw_state)f->is) : "absent");
    fputs("</td><td>", c->out);
    if (since != OSW_HISTORY_NONE)
        osw_report_html_text(
            c->out, osw_history_word(c->h, c->v.campaigns[since].created), 40);
    fputs("</td><td class=\"reason\">", c->out);
    put_words(c, f, osw_history_campaign_facts);
    fputs("<br>", c->out);
    put_words(c, f, osw_history_cell_facts);
    fputs("</td></tr>\n", c->out);
}

static void put_findings(const struct chart *c)
{
    size_t n = c->v.n_findings < MAX_ROWS ? c->v.n_findings : MAX_ROWS;

    if (n == 0) {
        fputs("<p>Nothing changed.</p>\n", c->out);
        return;
    }
    fputs("<div class=\"scroll\"><table class=\"plain wide\"><thead><tr>"
          "<th>finding</th><th>of</th><th class=\"n\">change [95&#160;% "
          "interval]</th><th>since"
          "</th><th>what else changed there</th></tr></thead><tbody>\n",
          c->out);
    for (size_t i = 0; i < n; i++)
        put_finding(c, &c->v.findings[i]);
    fputs("</tbody></table></div>\n", c->out);
    if (n < c->v.n_findings)
        fprintf(c->out,
                "<p class=\"note\">and %zu more: <b>opsweep history</b> has "
                "all.</p>\n",
                c->v.n_findings - n);
}

void osw_report_html_history(const struct osw_report_html *h)
{
    struct chart c = {.h = h->history, .out = h->out};

    if (!h->history)
        return;
    c.v = osw_history_view(h->history);
    osw_report_html_section(h->out, "history", "History");
    fprintf(
        h->out,
        "<p class=\"note\">%zu campaign%s by the time they began, %zu "
        "cell%s. Dots: medians of cells that pass, without what all cells "
        "of a place have in common, on a logarithmic scale that spans them; "
        "crosses: other verdicts; dashed: where a time or verdict "
        "changed.</p>\n",
        c.v.n_campaigns, osw_plural(c.v.n_campaigns), c.v.n_followed,
        osw_plural(c.v.n_followed));
    put_findings(&c);
    put_lines(&c);
    put_shift(&c);
    osw_report_html_section_end(h->out);
}
