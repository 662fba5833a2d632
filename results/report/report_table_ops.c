/* results/report/report_table_ops.c - one line per op
 *
 * Of several implementations the best beside the op's most frequent baseline
 * is named; where none was compared, the one nearest to the speed of light.
 * One with failed cells is named only if all have some.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/text.h"
#include "results/report/report_cut.h"
#include "results/report/report_number.h"
#include "results/report/report_table.h"
#include "results/report/report_versus.h"

typedef struct osw_report_page page_t;

enum {
    LEAST_OP = 12, /* columns for an op's name */
    CUT_OP = 28,   /* with fewer, long names are not cut */
    MAX_BEST = 44, /* columns for an implementation and its speedup */
};

struct columns {
    int op, best, error;
    bool infra;
    bool stacked; /* long names of ops have lines of their own */
};

/* All rows of one op: rows first .. end - 1 of the summary. */
struct op {
    size_t first, end;
    uint64_t n_group[OSW_GROUP_COUNT];
    double max_of_allowed;
    size_t best;                        /* row */
    const struct osw_report_versus *of; /* its first speedup, or NULL */
};

static void put_head(const page_t *p, const struct columns *c)
{
    osw_report_paint(p, OSW_REPORT_BOLD);
    fprintf(p->out, "%-*s %5s %5s %5s", c->op, "op", "pass", "fail", "n/j");
    if (c->infra)
        fprintf(p->out, " %5s", "infra");
    fprintf(p->out, "  %-*s %5s  %s", c->best, "best, speedup", "light",
            "largest error");
    osw_report_paint(p, OSW_REPORT_PLAIN);
    putc('\n', p->out);
}

/* The baseline that most cells of the op are compared with. */
static const struct osw_report_versus *
main_baseline(const struct osw_report_summary *s, const struct op *o)
{
    const struct osw_report_versus *most = NULL;

    for (size_t i = o->first; i < o->end; i++) {
        const struct osw_report_versus *v = osw_report_versus_next(s, i, NULL);

        if (v && (!most || (most->oracle && !v->oracle) ||
                  (most->oracle == v->oracle && v->n > most->n)))
            most = v;
    }
    return most;
}

static uint64_t n_failed(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_FAIL] + r->n_group[OSW_GROUP_ERROR];
}

static void find_best(const struct osw_report_summary *s, struct op *o)
{
    const struct osw_report_versus *b = main_baseline(s, o);
    double best = NAN;
    bool best_fails = true;

    o->best = o->first;
    for (size_t i = o->first; i < o->end; i++) {
        const struct osw_report_versus *v = NULL;
        double value = b ? NAN : s->rows[i].light_median;
        bool fails;

        while (b && (v = osw_report_versus_next(s, i, v)) != NULL)
            if (osw_report_versus_alike(v, b))
                value = osw_report_versus_geomean(v);
        fails = n_failed(&s->rows[i]) > 0;
        if (isnan(value) || (fails && !best_fails) ||
            (fails == best_fails && value <= best))
            continue;
        best = value;
        best_fails = fails;
        o->best = i;
    }
    o->of = osw_report_versus_next(s, o->best, NULL);
}

static struct op make_op(const struct osw_report_summary *s, size_t first)
{
    struct op o = {.first = first, .max_of_allowed = NAN};
    size_t i = first;

    for (; i < s->n_rows && s->rows[i].op_id == s->rows[first].op_id; i++) {
        const struct osw_report_row *r = &s->rows[i];

        for (int g = 0; g < OSW_GROUP_COUNT; g++)
            o.n_group[g] += r->n_group[g];
        if (!(r->max_of_allowed <= o.max_of_allowed) &&
            !isnan(r->max_of_allowed))
            o.max_of_allowed = r->max_of_allowed;
    }
    o.end = i;
    find_best(s, &o);
    return o;
}

/* The most cells that an implementation of the op has beside this baseline. */
static uint64_t most_cells(const struct osw_report_summary *s,
                           const struct op *o,
                           const struct osw_report_versus *beside)
{
    uint64_t most = 0;

    for (size_t i = o->first; i < o->end; i++)
        for (const struct osw_report_versus *v = NULL;
             (v = osw_report_versus_next(s, i, v)) != NULL;)
            if (osw_report_versus_alike(v, beside) && v->n > most)
                most = v->n;
    return most;
}

/* What a speedup leaves out: cells that failed, or that only others have. */
static void add_missing(const struct osw_report_summary *s, const struct op *o,
                        const struct osw_report_versus *v, char *text,
                        size_t size)
{
    const struct osw_report_row *r = &s->rows[o->best];
    uint64_t pass = r->n_group[OSW_GROUP_PASS], most;
    size_t used = strlen(text);

    most = v ? most_cells(s, o, v) : 0;
    if (!v && isnan(r->light_median))
        return;
    if (n_failed(r))
        snprintf(text + used, size - used, "%s%" PRIu64 "/%" PRIu64 " pass",
                 used ? ", " : "", pass, pass + n_failed(r));
    else if (v && v->n < most)
        snprintf(text + used, size - used, ", %" PRIu64 " of %" PRIu64 " cells",
                 v->n, most);
}

/* "simd 17.2x vs plain", "simd 17.2x vs plain, 2 of 6 cells", "rows", "3
 * implementations".  What does not fit into `width` is cut from the
 * implementation's name, not from the numbers.
 */
static void add_best(const page_t *p, const struct op *o,
                     const struct osw_report_versus *v, int width,
                     struct osw_text *out)
{
    const struct osw_report_row *r = &p->sum->rows[o->best];
    const char *impl = osw_report_impl_name(p, r->impl_id);
    size_t n_impls = o->end - o->first;
    char text[128] = "";
    int left = width;

    if (!v && n_impls > 1 && isnan(r->light_median)) {
        osw_text_printf(out, "%zu implementations", n_impls);
        return;
    }
    if (v)
        osw_report_versus_text(p, v, text, sizeof(text));
    else if (r->n_own)
        snprintf(text, sizeof(text), "(the baseline)");
    add_missing(p->sum, o, v, text, sizeof(text));
    left -= *text ? osw_report_width(text) + 1 : 0;
    osw_report_cut(out, impl, left < 4 ? 4 : left);
    osw_text_printf(out, "%s%s", *text ? " " : "", text);
}

static int width_of_best(const page_t *p, const struct op *o,
                         const struct osw_report_versus *v)
{
    struct osw_text t = OSW_TEXT_INIT;
    int n;

    add_best(p, o, v, MAX_BEST, &t);
    n = osw_text_str(&t) ? osw_report_width(osw_text_str(&t)) : 0;
    osw_text_free(&t);
    return n;
}

static void put_best(const page_t *p, const struct op *o,
                     const struct osw_report_versus *v, int width, int pad)
{
    struct osw_text t = OSW_TEXT_INIT;

    add_best(p, o, v, width, &t);
    osw_report_put_cut(p->out, osw_text_str(&t) ? osw_text_str(&t) : "", width,
                       pad);
    osw_text_free(&t);
}

/* Each column is as wide as what is in it; names of ops give way first. */
static struct columns measure(const page_t *p)
{
    const struct osw_report_summary *s = p->sum;
    struct columns c = {
        .op = 2, .best = 13, .infra = s->total.n_group[OSW_GROUP_INFRA] > 0};
    int room = p->width - (c.infra ? 24 : 18) - 10, least;
    char text[32];

    for (size_t i = 0; i < s->n_rows;) {
        struct op o = make_op(s, i);
        int n = osw_report_width(osw_report_op_name(p, s->rows[i].op_id));
        const struct osw_report_versus *v = o.of;

        c.op = n > c.op ? n : c.op;
        do {
            n = width_of_best(p, &o, v);
            c.best = n > c.best ? n : c.best;
            v = v ? osw_report_versus_next(s, o.best, v) : NULL;
        } while (v);
        n = osw_report_width(osw_report_allowed(o.max_of_allowed, text, 32));
        c.error = n > c.error ? n : c.error;
        i = o.end;
    }
    c.error = c.error < 13 ? 13 : c.error;
    room -= c.error;
    least = c.op < LEAST_OP ? c.op : LEAST_OP;
    if (c.best > room - least)
        c.best = room - least;
    if (c.op > room - c.best)
        c.op = room - c.best;
    c.stacked = c.op < CUT_OP;
    return c;
}

static void put_op(const page_t *p, const struct columns *c, const struct op *o)
{
    const struct osw_report_summary *s = p->sum;
    const struct osw_report_row *r = &s->rows[o->best];
    const char *name = osw_report_op_name(p, s->rows[o->first].op_id);
    char light[32], error[32];

    if (c->stacked && osw_report_width(name) > c->op) {
        osw_report_put_cut(p->out, name, p->width, 0);
        fprintf(p->out, "\n%*s", c->op, "");
    } else {
        osw_report_put_cut(p->out, name, c->op, c->op);
    }
    osw_report_put_count(p, o->n_group[OSW_GROUP_PASS], 6, OSW_REPORT_PLAIN);
    osw_report_put_count(
        p, o->n_group[OSW_GROUP_FAIL] + o->n_group[OSW_GROUP_ERROR], 6,
        OSW_REPORT_RED);
    osw_report_put_count(p, o->n_group[OSW_GROUP_NOT_JUDGED], 6,
                         OSW_REPORT_YELLOW);
    if (c->infra)
        osw_report_put_count(p, o->n_group[OSW_GROUP_INFRA], 6,
                             OSW_REPORT_YELLOW);
    fputs("  ", p->out);
    put_best(p, o, o->of, c->best, c->best);
    fprintf(p->out, " %5s  %s\n",
            isnan(r->light_median)
                ? "-"
                : osw_report_percent(r->light_median, light, 32),
            osw_report_allowed(o->max_of_allowed, error, 32));
    for (const struct osw_report_versus *v = o->of;
         v && (v = osw_report_versus_next(s, o->best, v)) != NULL;) {
        fprintf(p->out, "%*s", c->op + (c->infra ? 26 : 20), "");
        put_best(p, o, v, c->best, 0);
        putc('\n', p->out);
    }
}

void osw_report_table_ops(const page_t *p)
{
    struct columns c = measure(p);

    if (p->sum->n_rows == 0)
        return;
    put_head(p, &c);
    for (size_t i = 0; i < p->sum->n_rows;) {
        struct op o = make_op(p->sum, i);

        put_op(p, &c, &o);
        i = o.end;
    }
    putc('\n', p->out);
}
