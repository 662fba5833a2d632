/* results/compare/compare_confirm.c - suspicions, settled by more runs in turns
 */
#include "results/compare/compare_confirm.h"

#include <math.h>
#include <stdlib.h>

#include "results/compare/stats.h"

enum {
    LEAST_ROUNDS = 3, /* to call a cell the same */
    SPARE_ROUNDS = 5, /* a lost bet costs as many wins */
};
/* Of the threshold that a confirmed effect must reach. */
#define CONFIRMED_SHARE 0.75
/* Capital below which a cell is dropped. */
#define DROPPED         0.25

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to confirm");
}

static bool is_suspicion(const struct osw_compare *c,
                         const struct osw_compare_pair *p)
{
    return (p->kind == OSW_COMPARE_UNSURE && c->options.unsure) ||
           p->kind == OSW_COMPARE_SLOWER || p->kind == OSW_COMPARE_FASTER ||
           p->kind == OSW_COMPARE_REGRESSED || p->kind == OSW_COMPARE_IMPROVED;
}

static void add(struct osw_compare_confirm *f, size_t pair, bool control)
{
    size_t at = f->n + f->n_controls;

    f->list[at] = (struct osw_compare_suspicion){
        .pair = pair,
        .effects = f->effects + at * f->n_most,
        .capital = 1,
        .control = control,
        .open = true,
    };
    f->n += !control;
    f->n_controls += control;
}

/* Cells that are the same, spread over all of them; too few are none. */
static void add_controls(struct osw_compare_confirm *f)
{
    const struct osw_compare *c = f->c;
    size_t n = c->n_kind[OSW_COMPARE_SAME], seen = 0;

    if (n < OSW_COMPARE_TAKEN_OUT)
        return;
    for (size_t i = 0; i < c->n; i++)
        if (c->pairs[i].kind == OSW_COMPARE_SAME) {
            if (seen * OSW_COMPARE_TAKEN_OUT / n >= f->n_controls)
                add(f, i, true);
            seen++;
        }
}

int osw_compare_confirm_begin(struct osw_compare *c, unsigned least,
                              struct osw_compare_confirm *out,
                              struct osw_error *err)
{
    size_t n = 0, size;
    unsigned bets;

    for (size_t i = 0; i < c->n; i++)
        n += is_suspicion(c, &c->pairs[i]);
    size = n + OSW_COMPARE_TAKEN_OUT + 1;
    bets = osw_stats_bets_for((double)n / OSW_COMPARE_FDR);
    *out = (struct osw_compare_confirm){.c = c, .least = least};
    out->n_rounds = least > bets ? least : bets;
    out->n_most = out->n_rounds + SPARE_ROUNDS;
    out->list = calloc(size, sizeof(*out->list));
    out->effects = calloc(size * out->n_most, sizeof(*out->effects));
    out->scratch = calloc(size, sizeof(*out->scratch));
    if (!out->list || !out->effects || !out->scratch)
        return no_memory(err);
    for (size_t i = 0; i < c->n; i++)
        if (is_suspicion(c, &c->pairs[i]))
            add(out, i, false);
    if (n > 0)
        add_controls(out);
    out->n_open = out->n;
    return 0;
}

/* --- a round --- */

struct found {
    const struct osw_compare_side *side;
    const struct osw_compare_cell *cell; /* NULL: it was not run */
};

static struct found find(const struct osw_compare_side *sides, size_t n,
                         uint64_t key)
{
    for (size_t i = 0; i < n; i++) {
        const struct osw_compare_cell *cell =
            osw_compare_side_find(&sides[i], key);

        if (cell)
            return (struct found){&sides[i], cell};
    }
    return (struct found){NULL, NULL};
}

/* What a round says of a cell; NaN: it does not count. */
static double effect_in(const struct osw_compare *c,
                        const struct osw_compare_pair *p, struct found a,
                        struct found b)
{
    const struct osw_compare_cell *was =
        osw_compare_side_find(&c->base, p->key);

    return was && a.cell && b.cell && osw_compare_side_passes(a.cell->status) &&
                   osw_compare_side_passes(b.cell->status) &&
                   osw_compare_alike(&c->base, was, a.side, a.cell) &&
                   osw_compare_alike(a.side, a.cell, b.side, b.cell)
               ? osw_compare_effect(c, a.cell, b.cell)
               : NAN;
}

/* What all cells have in common, by the controls; 0: too few say so. */
static float shift_of(const struct osw_compare_confirm *f)
{
    float d[OSW_COMPARE_TAKEN_OUT];
    size_t n = 0;

    for (size_t i = f->n; i < f->n + f->n_controls; i++)
        if (!isnan(f->list[i].effects[0]))
            d[n++] = f->list[i].effects[0];
    return n >= OSW_COMPARE_TAKEN_OUT / 2 ? (float)osw_compare_side_median(d, n)
                                          : 0;
}

static bool is_slower(const struct osw_compare *c,
                      const struct osw_compare_suspicion *s)
{
    return c->pairs[s->pair].effect > 0;
}

static bool is_same(const struct osw_compare *c,
                    const struct osw_compare_suspicion *s)
{
    struct osw_stats_mean m = osw_stats_mean(s->effects, s->n, 0.90);

    return s->n >= LEAST_ROUNDS &&
           osw_stats_same(m.mean, m.half, osw_compare_margin(c));
}

/* The e-value that stands the test of all suspicions. */
static double enough(struct osw_compare_confirm *f)
{
    for (size_t i = 0; i < f->n; i++)
        f->scratch[i] = f->list[i].capital;
    return osw_stats_ebh(f->scratch, f->n, OSW_COMPARE_FDR);
}

/* Its last round was too far off for it to be the same, or it has enough. */
static bool is_clear(const struct osw_compare *c,
                     const struct osw_compare_suspicion *s)
{
    return s->n >= LEAST_ROUNDS ||
           fabs((double)s->effects[s->n - 1]) > osw_compare_margin(c);
}

static void close_settled(struct osw_compare_confirm *f)
{
    double least = enough(f);

    f->n_open = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct osw_compare_suspicion *s = &f->list[i];

        if ((s->capital >= least && s->n >= f->least) ||
            (s->capital < DROPPED && is_clear(f->c, s)) ||
            s->n_void > SPARE_ROUNDS)
            s->open = false;
        f->n_open += s->open;
    }
}

static void add_round(struct osw_compare_confirm *f,
                      const struct osw_compare_side *bases, size_t n_bases,
                      const struct osw_compare_side *nows, size_t n_nows)
{
    float shift;

    for (size_t i = 0; i < f->n + f->n_controls; i++) {
        struct osw_compare_suspicion *s = &f->list[i];
        const struct osw_compare_pair *p = &f->c->pairs[s->pair];

        if (s->open)
            s->effects[s->n] =
                (float)effect_in(f->c, p, find(bases, n_bases, p->key),
                                 find(nows, n_nows, p->key));
    }
    shift = shift_of(f);
    for (size_t i = 0; i < f->n; i++) {
        struct osw_compare_suspicion *s = &f->list[i];

        if (s->open && isnan(s->effects[s->n])) {
            s->n_void++;
        } else if (s->open) {
            s->effects[s->n] -= shift;
            s->capital = osw_stats_bet(s->capital, is_slower(f->c, s)
                                                       ? s->effects[s->n] > 0
                                                       : s->effects[s->n] < 0);
            s->n++;
        }
    }
    f->n_taken++;
    close_settled(f);
}

int osw_compare_confirm_round(struct osw_compare_confirm *f,
                              const osw_file_t *const *bases, size_t n_bases,
                              const osw_file_t *const *nows, size_t n_nows,
                              struct osw_error *err)
{
    size_t n = n_bases + n_nows;
    struct osw_compare_side *sides = calloc(n + 1, sizeof(*sides));
    int rc = sides ? 0 : no_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = osw_compare_side_read(i < n_bases ? bases[i] : nows[i - n_bases],
                                   &sides[i], err);
    if (rc == 0)
        add_round(f, sides, n_bases, sides + n_bases, n_nows);
    for (size_t i = 0; sides && i < n; i++)
        osw_compare_side_free(&sides[i]);
    free(sides);
    return rc;
}

bool osw_compare_confirm_more(const struct osw_compare_confirm *f)
{
    return f->n_open > 0 && f->n_taken < f->n_most;
}

/* --- what became of them --- */

static enum osw_compare_kind kind_of(const struct osw_compare_confirm *f,
                                     const struct osw_compare_suspicion *s,
                                     double mean, double least)
{
    double wanted =
        CONFIRMED_SHARE * osw_compare_threshold(f->c, &f->c->pairs[s->pair]);
    bool slower = is_slower(f->c, s);

    if (s->n >= f->least && s->capital >= least && fabs(mean) > wanted &&
        (mean > 0) == slower)
        return slower ? OSW_COMPARE_REGRESSED : OSW_COMPARE_IMPROVED;
    return is_same(f->c, s) ? OSW_COMPARE_SAME : OSW_COMPARE_UNSURE;
}

void osw_compare_confirm_settle(struct osw_compare_confirm *f)
{
    struct osw_compare *c = f->c;
    double least = enough(f);
    bool void_rounds = false, counted = false;
    size_t n_open = 0;
    char text[128];

    c->n_undecided = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct osw_compare_suspicion *s = &f->list[i];
        struct osw_compare_pair *p = &c->pairs[s->pair];
        struct osw_stats_mean m = osw_stats_mean(s->effects, s->n, 0.95);

        if (s->n > 0) {
            p->kind = kind_of(f, s, m.mean, least);
            p->effect = (float)m.mean;
            p->half = (float)m.half;
        }
        counted = counted || s->n > 0;
        n_open += s->n == 0;
        c->n_undecided += p->kind == OSW_COMPARE_UNSURE;
        void_rounds = void_rounds || s->n_void > 0;
    }
    if (void_rounds)
        osw_compare_remark(c, "rounds did not count in which a cell did not "
                              "pass, or ran on another model, by another timer "
                              "or with clocks held down");
    if (n_open) {
        snprintf(
            text, sizeof(text),
            "no round counted for %zu cell%s: what is said of %s is of the "
            "two files alone",
            n_open, n_open == 1 ? "" : "s", n_open == 1 ? "it" : "them");
        osw_compare_remark(c, text);
    }
    c->n_rounds = counted ? f->n_taken : 0;
    osw_compare_sort(c);
}

void osw_compare_confirm_end(struct osw_compare_confirm *f)
{
    free(f->list);
    free(f->effects);
    free(f->scratch);
}
