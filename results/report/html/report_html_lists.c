/* results/report/html/report_html_lists.c - the cells at the ends: worst,
 * slowest, longest
 *
 * Plain tables, so that they are there on paper and without the script.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "results/report/html/report_html.h"
#include "results/report/report_versus.h"

enum { N_LISTED = 12 };

typedef struct osw_report_html_cell cell_t;

/* What a list is sorted by, the largest first; NaN: the cell is not in it. */
struct list {
    const char *heading;
    const char *column;
    bool words; /* with the reason */
    double (*weight)(const cell_t *cell);
    void (*put)(const struct osw_report_html *h, const cell_t *cell);
};

/* What did not run to its end; the first of each op. */
static double weigh_error(const cell_t *c)
{
    return c->group == OSW_GROUP_ERROR ? 1 : NAN;
}

/* Wrong in most elements. */
static double weigh_failed(const cell_t *c)
{
    if (c->group != OSW_GROUP_FAIL)
        return NAN;
    return c->n_elem > 0 ? (double)c->n_bad / (double)c->n_elem : 0;
}

static void put_failed(const struct osw_report_html *h, const cell_t *c)
{
    FILE *out = h->out;
    fputs(osw_state_name((enum osw_state)c->state), out);
    if (c->n_bad > 0 && c->n_elem > 0)
        fprintf(out, ", %" PRId64 " of %" PRId64 " element%s", c->n_bad,
                c->n_elem, osw_plural((uint64_t)c->n_elem));
}

static double weigh_slow(const cell_t *c)
{
    return osw_report_html_timed(c) ? 1 / c->speedup : NAN;
}

static void put_slow(const struct osw_report_html *h, const cell_t *c)
{
    FILE *out = h->out;
    char text[3][64];

    fprintf(out, "%s%s vs ", osw_report_factor(c->speedup, text[0], 32),
            osw_report_interval(c->speedup_lo, c->speedup_hi, text[1], 64));
    osw_report_html_text(out, osw_report_baseline(h->file, c->baseline), 40);
    if (!isnan(c->light))
        fprintf(out, ", %s of light",
                osw_report_percent(c->light, text[2], 32));
}

static double weigh_time(const cell_t *c)
{
    return c->state == OSW_STATE_PASS && c->t_median_ns > 0 ? c->t_median_ns
                                                            : NAN;
}

static void put_time(const struct osw_report_html *h, const cell_t *c)
{
    FILE *out = h->out;
    char text[32];

    fputs(osw_report_duration(c->t_median_ns, text, sizeof(text)), out);
}

static double weigh_wall(const cell_t *c)
{
    return c->wall_ns > 0 ? (double)c->wall_ns : NAN;
}

static void put_wall(const struct osw_report_html *h, const cell_t *c)
{
    FILE *out = h->out;
    char text[32];

    fputs(osw_report_duration((double)c->wall_ns, text, sizeof(text)), out);
}

static const struct list lists[] = {
    {"Did not run to their end", "verdict", true, weigh_error, put_failed},
    {"Wrong in most elements", "verdict", true, weigh_failed, put_failed},
    {"Slowest beside the baseline", "speed-up", false, weigh_slow, put_slow},
    {"Longest calls", "median", false, weigh_time, put_time},
    {"What took the campaign longest", "wall clock", false, weigh_wall,
     put_wall},
};

struct best {
    double weight;
    size_t cell;
};

/* Keep the N_LISTED heaviest, in order, one of each op and implementation; the
 * first of equal ones stays.
 */
static size_t keep(const cell_t *cells, struct best *best, size_t n,
                   double weight, size_t cell)
{
    size_t i = 0;

    if (n == N_LISTED && !(weight > best[n - 1].weight))
        return n;
    while (i < n && (cells[best[i].cell].op != cells[cell].op ||
                     cells[best[i].cell].impl != cells[cell].impl))
        i++;
    if (i < n && !(weight > best[i].weight))
        return n;
    if (i == n)
        i = n < N_LISTED ? n++ : N_LISTED - 1;
    while (i > 0 && weight > best[i - 1].weight) {
        best[i] = best[i - 1];
        i--;
    }
    best[i] = (struct best){weight, cell};
    return n;
}

static void put_row(const struct osw_report_html *h, const struct list *list,
                    const cell_t *c)
{
    FILE *out = h->out;

    fprintf(out, "<tr><td><a href=\"#cell=0x%016" PRIx64 "\">", c->key);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_OP, c->op), 60);
    fputs("</a></td><td>", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_IMPL, c->impl),
                         40);
    fputs("</td><td class=\"case\">", out);
    osw_report_html_text(out, osw_file_text(h->file, OSW_DICT_CASE, c->case_id),
                         120);
    fprintf(out, "</td><td%s>", list->words ? "" : " class=\"n\"");
    list->put(h, c);
    if (list->words) {
        fputs("</td><td class=\"reason\">", out);
        osw_report_html_text(
            out, osw_file_text(h->file, OSW_DICT_REASON, c->reason), 160);
    }
    fputs("</td></tr>\n", out);
}

static void put_list(const struct osw_report_html *h, const struct list *list)
{
    struct best best[N_LISTED];
    uint64_t all = 0;
    size_t n = 0;

    for (size_t i = 0; i < h->n; i++) {
        double weight = list->weight(&h->cells[i]);

        if (isnan(weight))
            continue;
        all++;
        n = keep(h->cells, best, n, weight, i);
    }
    if (n == 0)
        return;
    fprintf(h->out,
            "<h3>%s</h3>\n<p class=\"note\">%zu of %" PRIu64
            " cells, one of each "
            "op and implementation</p>\n"
            "<div class=\"scroll\"><table class=\"plain wide\"><thead><tr>"
            "<th>op</th><th>implementation</th><th>case</th><th%s>%s</th>"
            "%s</tr></thead><tbody>\n",
            list->heading, n, all, list->words ? "" : " class=\"n\"",
            list->column, list->words ? "<th>reason</th>" : "");
    for (size_t i = 0; i < n; i++)
        put_row(h, list, &h->cells[best[i].cell]);
    fputs("</tbody></table></div>\n", h->out);
}

int osw_report_html_lists(const struct osw_report_html *h,
                          struct osw_error *err)
{
    (void)err;
    osw_report_html_section(h->out, "worst", "Worst and slowest cells");
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        put_list(h, &lists[i]);
    osw_report_html_section_end(h->out);
    return 0;
}
