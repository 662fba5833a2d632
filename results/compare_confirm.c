/* results/compare_confirm.c - suspicions, settled by more runs in turns */
#include "results/compare_confirm.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_ROUNDS = 3 };
/* Of the threshold that a confirmed effect must reach. */
#define CONFIRMED_SHARE 0.75
/* Of the cells with times that noise alone may get confirmed. */
#define FALSE_SHARE     0.005

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to confirm");
}

static bool is_suspicion(const struct osw_compare_pair *p)
{
    return p->kind == OSW_COMPARE_SLOWER || p->kind == OSW_COMPARE_FASTER;
}

/* Noise is on the side of a suspicion every other time. */
static unsigned rounds_for(size_t n_suspicions, size_t n_timed, unsigned least)
{
    double alarms = (double)n_suspicions;
    unsigned n = 0;

    for (; alarms > FALSE_SHARE * (double)n_timed; alarms /= 2)
        n++;
    return n > least ? n : least;
}

int osw_compare_confirm_begin(struct osw_compare *c, unsigned least,
                              struct osw_compare_confirm *out,
                              struct osw_error *err)
{
    size_t n = c->n_kind[OSW_COMPARE_SLOWER] + c->n_kind[OSW_COMPARE_FASTER];

    *out = (struct osw_compare_confirm){.c = c};
    out->n_rounds = rounds_for(n, c->n_timed, least);
    out->list = calloc(n + 1, sizeof(*out->list));
    out->effects = calloc(n * out->n_rounds + 1, sizeof(*out->effects));
    if (!out->list || !out->effects)
        return no_memory(err);
    for (size_t i = 0; i < c->n; i++)
        if (is_suspicion(&c->pairs[i])) {
            float *effects = out->effects + out->n * out->n_rounds;

            out->list[out->n++] = (struct osw_compare_suspicion){
                .pair = i, .effects = effects, .open = true};
        }
    out->n_open = out->n;
    return 0;
}

/* What the rounds of a suspicion say so far. */
struct said {
    bool agrees; /* always in its direction */
    bool within; /* always less than what counts */
};

static struct said listen(const struct osw_compare *c,
                          const struct osw_compare_suspicion *s)
{
    const struct osw_compare_pair *p = &c->pairs[s->pair];
    double least = osw_compare_threshold(c, p);
    bool slower = p->kind == OSW_COMPARE_SLOWER;
    struct said said = {true, true};

    for (unsigned i = 0; i < s->n; i++) {
        float d = s->effects[i];

        said.agrees = said.agrees && (slower ? d > 0 : d < 0);
        said.within = said.within && fabsf(d) <= least;
    }
    return said;
}

/* Confirmed is what always agrees; nothing is what is small three times. */
static bool is_open(const struct osw_compare *c,
                    const struct osw_compare_suspicion *s)
{
    struct said said = listen(c, s);

    return said.agrees || (said.within && s->n < LEAST_ROUNDS);
}

static const struct osw_compare_cell *find(const struct osw_compare_side *sides,
                                           size_t n, uint64_t key)
{
    const struct osw_compare_cell *cell = NULL;

    for (size_t i = 0; i < n && !cell; i++)
        cell = osw_compare_side_find(&sides[i], key);
    return cell;
}

static void add_round(struct osw_compare_confirm *f,
                      const struct osw_compare_side *bases, size_t n_bases,
                      const struct osw_compare_side *nows, size_t n_nows)
{
    f->n_open = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct osw_compare_suspicion *s = &f->list[i];
        uint64_t key = f->c->pairs[s->pair].key;
        const struct osw_compare_cell *a = find(bases, n_bases, key);
        const struct osw_compare_cell *b = find(nows, n_nows, key);
        double d = a && b ? osw_compare_effect(f->c, a, b) : NAN;

        if (s->open && !isnan(d)) {
            s->effects[s->n++] = (float)d;
            s->open = is_open(f->c, s);
        }
        f->n_open += s->open;
    }
    f->n_taken++;
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
    return f->n_open > 0 && f->n_taken < f->n_rounds;
}

/* Sorts the effects. */
static void settle(struct osw_compare *c, struct osw_compare_suspicion *s)
{
    struct osw_compare_pair *p = &c->pairs[s->pair];
    struct said said = listen(c, s);
    bool enough = s->n >= LEAST_ROUNDS;
    double middle = s->n ? osw_compare_side_median(s->effects, s->n) : 0;

    if (enough && said.agrees &&
        fabs(middle) > CONFIRMED_SHARE * osw_compare_threshold(c, p))
        p->kind = p->kind == OSW_COMPARE_SLOWER ? OSW_COMPARE_REGRESSED
                                                : OSW_COMPARE_IMPROVED;
    else
        p->kind = enough && said.within ? OSW_COMPARE_SAME : OSW_COMPARE_UNSURE;
    if (s->n == 0)
        return;
    p->effect = (float)middle;
    p->half = s->n > 1 ? (s->effects[s->n - 1] - s->effects[0]) / 2 : NAN;
}

void osw_compare_confirm_settle(struct osw_compare_confirm *f)
{
    for (size_t i = 0; i < f->n; i++)
        settle(f->c, &f->list[i]);
    f->c->n_rounds = f->n_taken;
    osw_compare_sort(f->c);
}

void osw_compare_confirm_end(struct osw_compare_confirm *f)
{
    free(f->list);
    free(f->effects);
}
