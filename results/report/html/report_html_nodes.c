/* results/report/html/report_html_nodes.c - one node or device beside the
 * others
 *
 * Each cell ran in one place, so places are compared by what each did with the
 * same op and implementation: its bandwidth over the geometric mean of all on
 * the same model of device.  Cases differ, so that ratio has an interval (95
 * %): Student's, in clusters of ops (stats.h), as cells of an op are slow
 * together.  A place is marked where its ratio differs from 1 at a level of 5 %
 * of all places together (C. E. Bonferroni: 5 % over their number).
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare/stats.h"
#include "results/report/html/report_html.h"

enum { MAX_PLACES = 256, LEAST_CELLS = 5, PLOT_W = 180, PLOT_H = 16 };

/* A node (rank -1) or a worker, and its cells. */
struct place {
    uint32_t host;
    int32_t rank;
    uint64_t n, n_pass, n_bad, n_infra, n_throttled, n_clock;
    double clock_mhz, hottest_c; /* sum, largest */
    uint64_t n_rate;
    double *rates, *counts; /* [n_ops] sums of logarithms, and numbers */
};

/* Of an op and an implementation on a model of device: logarithms of
 * bandwidth, and where they ran.
 */
struct usual {
    uint64_t id;
    uint32_t device;
    size_t op; /* 0, 1, ... */
    uint64_t n;
    double sum;
    uint32_t host; /* of one of them */
    int32_t rank;
    bool hosts, ranks; /* there are others, to be compared with */
};

static uint64_t id_of(const struct osw_report_html_cell *c)
{
    return (uint64_t)c->op << 32 | c->impl;
}

static int by_id(const void *x, const void *y)
{
    const struct usual *a = x, *b = y;

    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

static int by_place(const void *x, const void *y)
{
    const struct place *a = x, *b = y;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->host < b->host ? -1 : a->host > b->host;
}

static bool has_rate(const struct osw_report_html_cell *c)
{
    return c->state == OSW_STATE_PASS && c->gbps > 0 && !isinf(c->gbps);
}

/* [*n_out], by id; the caller's to free. */
static struct usual *find_usual(const struct osw_report_html *h, size_t *n_out)
{
    struct usual *all = calloc(h->n + 1, sizeof(*all));
    size_t n = 0, merged = 0;

    if (!all)
        return NULL;
    for (size_t i = 0; i < h->n; i++)
        if (has_rate(&h->cells[i]))
            all[n++] = (struct usual){.id = id_of(&h->cells[i]),
                                      .device = h->cells[i].device,
                                      .host = h->cells[i].host,
                                      .rank = h->cells[i].rank,
                                      .n = 1,
                                      .sum = log(h->cells[i].gbps)};
    qsort(all, n, sizeof(*all), by_id);
    for (size_t i = 0; i < n; i++) {
        struct usual *last = merged ? &all[merged - 1] : NULL;

        if (last && by_id(last, &all[i]) == 0) {
            last->n++;
            last->sum += all[i].sum;
            last->hosts |= last->host != all[i].host;
            last->ranks |= last->rank != all[i].rank;
            continue;
        }
        all[i].op = last ? last->op + (last->id >> 32 != all[i].id >> 32) : 0;
        all[merged++] = all[i];
    }
    *n_out = merged;
    return all;
}

static void add(struct place *p, const struct osw_report_html_cell *c,
                const struct usual *usual, size_t n_usual)
{
    const struct usual key = {.id = id_of(c), .device = c->device};
    const struct usual *u;

    p->n++;
    p->n_pass += c->group == OSW_GROUP_PASS;
    p->n_bad += c->group == OSW_GROUP_FAIL || c->group == OSW_GROUP_ERROR;
    p->n_infra += c->group == OSW_GROUP_INFRA;
    p->n_throttled += c->throttled;
    if (c->clock_mhz > 0) {
        p->n_clock++;
        p->clock_mhz += c->clock_mhz;
    }
    p->hottest_c = fmax(p->hottest_c, c->temperature_c);
    if (!has_rate(c))
        return;
    u = bsearch(&key, usual, n_usual, sizeof(*usual), by_id);
    if (p->rank < 0 ? u->hosts : u->hosts || u->ranks) {
        double v = log(c->gbps) - u->sum / (double)u->n;

        p->n_rate++;
        p->rates[u->op] += v;
        p->counts[u->op]++;
    }
}

/* Places in order; workers, or whole nodes.  Returns their number; those after
 * `size` are left out.  Their sums lie in sums[2 * size * rows of the summary].
 */
static size_t find_places(const struct osw_report_html *h,
                          const struct usual *usual, size_t n_usual,
                          bool workers, struct place *places, size_t size,
                          double *sums)
{
    size_t n_ops = h->summary->n_rows;
    size_t n = 0, last = 0;

    for (size_t i = 0; i < h->n; i++) {
        const struct osw_report_html_cell *c = &h->cells[i];
        int32_t rank = workers ? c->rank : -1;

        if (c->rank < 0)
            continue; /* was run nowhere */
        if (last >= n || places[last].host != c->host ||
            places[last].rank != rank) {
            last = 0;
            while (last < n &&
                   (places[last].host != c->host || places[last].rank != rank))
                last++;
            if (last == n && n == size)
                continue;
            if (last == n) {
                double *own = sums + 2 * n * n_ops;

                places[n++] = (struct place){.host = c->host,
                                             .rank = rank,
                                             .hottest_c = NAN,
                                             .rates = own,
                                             .counts = own + n_ops};
            }
        }
        add(&places[last], c, usual, n_usual);
    }
    qsort(places, n, sizeof(*places), by_place);
    return n;
}

/* --- drawing --- */

/* Half of the plot is a factor of 2. */
static double x_of(double log_rate)
{
    double v = fmin(fmax(log_rate / log(2), -1), 1);

    return PLOT_W / 2.0 + v * (PLOT_W / 2.0 - 4);
}

static void put_rate(FILE *out, const struct place *p, size_t n_ops,
                     size_t n_places)
{
    struct osw_stats_mean m =
        osw_stats_clustered(p->rates, p->counts, n_ops, 0.95);
    double mean = m.mean, half = m.half;
    char text[3][32];
    bool odd;

    if (p->n_rate < LEAST_CELLS || isnan(half)) {
        fputs("<td class=\"n\">n/a</td><td></td>", out);
        return;
    }
    odd = fabs(mean) > osw_stats_clustered(p->rates, p->counts, n_ops,
                                           1 - 0.05 / (double)n_places)
                           .half;
    fprintf(out,
            "<td class=\"n\">%s%s</td><td><svg class=\"chart rate\" "
            "width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%s to %s\">"
            "<title>%s to %s, %" PRIu64 " cells</title>"
            "<line class=\"one\" x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%d\"/>"
            "<path class=\"whisker\" d=\"M%.1f 5v6m0-3H%.1fm0-3v6\"/>"
            "<rect class=\"%s\" x=\"%.1f\" y=\"5\" width=\"6\" height=\"6\"/>"
            "</svg></td>",
            osw_report_factor(exp(mean), text[0], 32),
            odd ? " <b class=\"odd\">differs</b>" : "", PLOT_W, PLOT_H,
            osw_report_factor(exp(mean - half), text[1], 32),
            osw_report_factor(exp(mean + half), text[2], 32), text[1], text[2],
            p->n_rate, x_of(0), x_of(0), PLOT_H, x_of(mean - half),
            x_of(mean + half), odd ? "f-bad" : "f-pass", x_of(mean) - 3);
}

/* A run that was resumed on other nodes has a row for each of them. */
static const struct osw_device_info *device_of(const osw_file_t *file,
                                               const struct place *p)
{
    size_t n;
    const struct osw_file_device *rows = osw_file_devices(file, &n);

    for (size_t i = 0; i < n; i++)
        if (rows[i].rank == p->rank && rows[i].host_id == p->host)
            return &rows[i].info;
    return NULL;
}

static void put_device(const struct osw_report_html *h, const struct place *p)
{
    const struct osw_device_info *d = device_of(h->file, p);
    FILE *out = h->out;

    fprintf(out, "<td class=\"n\">%d</td><td>", (int)p->rank);
    if (d) {
        osw_report_html_text(out, d->name, 60);
        if (*d->uuid)
            fprintf(out, ", %d, ", (int)d->index);
        osw_report_html_text(out, d->uuid, 60);
        if (!osw_device_info_fit(d) || *d->notes)
            fputs("<br><small>", out);
        osw_report_html_text(out, d->notes, 200);
        if (!osw_device_info_fit(d))
            osw_report_html_text(out, d->health, 200);
        if (!osw_device_info_fit(d) || *d->notes)
            fputs("</small>", out);
    }
    fputs("</td>", out);
}

static void put_place(const struct osw_report_html *h, const struct place *p,
                      size_t n_places)
{
    FILE *out = h->out;

    fputs("<tr><td>", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_HOST, p->host),
                         60);
    fputs("</td>", out);
    if (p->rank >= 0)
        put_device(h, p);
    fprintf(out,
            "<td class=\"n\">%" PRIu64 "</td><td class=\"n\">%" PRIu64
            "</td><td class=\"n\">%" PRIu64 "</td><td class=\"n\">%.1f %%</td>",
            p->n, p->n_bad, p->n_infra,
            100.0 * (double)p->n_bad / (double)p->n);
    if (p->n_clock)
        fprintf(out, "<td class=\"n\">%.0f MHz</td>",
                p->clock_mhz / (double)p->n_clock);
    else
        fputs("<td class=\"n\">n/a</td>", out);
    if (isnan(p->hottest_c))
        fputs("<td class=\"n\">n/a</td>", out);
    else
        fprintf(out, "<td class=\"n\">%.0f &#176;C</td>", p->hottest_c);
    fprintf(out, "<td class=\"n\">%" PRIu64 "</td>", p->n_throttled);
    put_rate(out, p, h->summary->n_rows, n_places);
    fputs("</tr>\n", out);
}

static void put_places(const struct osw_report_html *h,
                       const struct place *places, size_t n, bool workers)
{
    fprintf(h->out,
            "<h3>%s</h3>\n<div class=\"scroll\"><table class=\"plain wide\">"
            "<thead><tr><th>node</th>%s<th class=\"n\">cells</th>"
            "<th class=\"n\">fail, error</th><th class=\"n\">infra</th>"
            "<th class=\"n\">of cells</th><th class=\"n\">mean clock</th>"
            "<th class=\"n\">hottest</th><th class=\"n\">throttled</th>"
            "<th class=\"n\">bandwidth</th><th>half, same, twice as fast</th>"
            "</tr></thead><tbody>\n",
            workers ? "Workers" : "Nodes",
            workers ? "<th class=\"n\">rank</th><th>device</th>" : "");
    for (size_t i = 0; i < n; i++)
        put_place(h, &places[i], n);
    fputs("</tbody></table></div>\n", h->out);
    if (n == MAX_PLACES)
        fprintf(h->out, "<p class=\"note\">The first %d are listed.</p>\n",
                MAX_PLACES);
}

/* The tables below hold cells that a worker had, and no others. */
static void put_unplaced(const struct osw_report_html *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++)
        n += h->cells[i].rank < 0;
    if (n)
        fprintf(h->out,
                "<p class=\"note\">%zu of %zu cell%s ran on a node; %zu ran "
                "nowhere (by the plan, or lost).</p>\n",
                h->n - n, h->n, osw_plural(h->n), n);
}

int osw_report_html_nodes(const struct osw_report_html *h,
                          struct osw_error *err)
{
    struct place *places = calloc(MAX_PLACES, sizeof(*places));
    size_t n_usual = 0;
    struct usual *usual = find_usual(h, &n_usual);
    size_t n_sums = 2 * MAX_PLACES * h->summary->n_rows + 1;
    double *sums = malloc(n_sums * sizeof(*sums));

    if (!places || !usual || !sums) {
        free(sums);
        free(places);
        free(usual);
        return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    }
    osw_report_html_section(h->out, "nodes", "Nodes and devices");
    fputs("<p class=\"note\">Bandwidth: geometric mean over cells that pass, "
          "each beside all cells of its op and implementation on the same "
          "model of device, where other places have some. Cases differ, so "
          "look at the interval (95&#160;%, "
          "in clusters of operators). "
          "&#8220;differs&#8221;: from 1, at 5&#160;% for all places "
          "together.</p>\n",
          h->out);
    put_unplaced(h);
    for (int workers = 0; workers < 2; workers++) {
        size_t n;

        memset(sums, 0, n_sums * sizeof(*sums));
        n = find_places(h, usual, n_usual, workers != 0, places, MAX_PLACES,
                        sums);

        put_places(h, places, n, workers != 0);
    }
    osw_report_html_section_end(h->out);
    free(sums);
    free(places);
    free(usual);
    return 0;
}
