/* results/compare/compare.c - two result files, cell by cell */
#include "results/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"
#include "results/compare/stats.h"

enum {
    LEAST_FOR_SHIFT = 5, /* cells, to say so */
    TAILS = 3,           /* degrees of freedom of noise from launch to launch */
};
#define HALF_95     1.96
#define MAD_SIGMA   1.4826
#define CLIP        3.0 /* deviations, of what counts in the shift's interval */
/* What launches of the same code do to all cells alike, of the scatter between
 * cells: 0.07 of 0.14 on a shared machine of 2 cores (12 pairs of campaigns).
 */
#define LAUNCH_PART 0.5
/* A time that differs by more, in all its samples, needs no runs in turns. */
#define FAR         2.0

static const struct {
    const char *name, *text;
} kinds[OSW_COMPARE_N_KINDS] = {
#define X(NAME, name, text) {name, text},
    OSW_COMPARE_MAP(X)
#undef X
};

const char *osw_compare_name(enum osw_compare_kind kind)
{
    return kinds[kind].name;
}

const char *osw_compare_text(enum osw_compare_kind kind)
{
    return kinds[kind].text;
}

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to compare");
}

/* --- cells --- */

static bool is_injected(const struct osw_compare *c, uint64_t key)
{
    uint64_t mixed = (key ^ key >> 29) * UINT64_C(0x9e3779b97f4a7c15);

    return c->options.inject != 1 &&
           (double)(mixed >> 11) * 0x1p-53 < c->options.inject_share;
}

double osw_compare_factor(const struct osw_compare *c, uint64_t key)
{
    return is_injected(c, key) ? c->options.inject : 1;
}

double osw_compare_effect(const struct osw_compare *c,
                          const struct osw_compare_cell *a,
                          const struct osw_compare_cell *b)
{
    double now = b->median_ns * osw_compare_factor(c, b->key);

    return a->median_ns > 0 && now > 0 ? log(now / a->median_ns) : NAN;
}

static enum osw_compare_kind kind_of_verdicts(const struct osw_compare_cell *a,
                                              const struct osw_compare_cell *b)
{
    if (!a || !osw_compare_side_judged(a->status))
        return b && osw_compare_side_judged(b->status) ? OSW_COMPARE_NEW
                                                       : OSW_COMPARE_UNTIMED;
    if (!b || !osw_compare_side_judged(b->status))
        return OSW_COMPARE_GONE;
    if (osw_compare_side_passes(a->status) !=
        osw_compare_side_passes(b->status))
        return osw_compare_side_passes(a->status) ? OSW_COMPARE_NEWLY_FAILING
                                                  : OSW_COMPARE_NEWLY_PASSING;
    return a->status != b->status ? OSW_COMPARE_CHANGED : OSW_COMPARE_UNTIMED;
}

bool osw_compare_alike(const struct osw_compare_side *s,
                       const struct osw_compare_cell *a,
                       const struct osw_compare_side *t,
                       const struct osw_compare_cell *b)
{
    return strcmp(osw_file_text(s->file, OSW_DICT_DEVICE, a->device),
                  osw_file_text(t->file, OSW_DICT_DEVICE, b->device)) == 0 &&
           a->timer == b->timer && a->cold == b->cold && !a->throttled &&
           !b->throttled && !a->suspect && !b->suspect;
}

/* Are all samples of one above nearly all of the other? */
static bool is_apart(const struct osw_compare *c,
                     const struct osw_compare_cell *a,
                     const struct osw_compare_cell *b)
{
    double factor = osw_compare_factor(c, b->key);

    /* Comparisons with NaN are false. */
    return b->least_ns * factor > a->most_ns ||
           a->least_ns > b->most_ns * factor;
}

static void pair_times(struct osw_compare *c, const struct osw_compare_cell *a,
                       const struct osw_compare_cell *b,
                       struct osw_compare_pair *p)
{
    double d = osw_compare_effect(c, a, b);

    if (isnan(d))
        return;
    p->effect = (float)d;
    p->noise = fmaxf(osw_compare_side_noise(&c->base, a),
                     osw_compare_side_noise(&c->now, b));
    p->half = isnan(a->half) || isnan(b->half)
                  ? NAN
                  : sqrtf(a->half * a->half + b->half * b->half +
                          p->noise * p->noise);
    p->apart = is_apart(c, a, b);
    p->kind = osw_compare_alike(&c->base, a, &c->now, b)
                  ? OSW_COMPARE_SAME /* until the shift is known */
                  : OSW_COMPARE_INCOMPARABLE;
}

static void add_pair(struct osw_compare *c, const struct osw_compare_cell *a,
                     const struct osw_compare_cell *b)
{
    struct osw_compare_pair *p = &c->pairs[c->n];
    /* An op folder that can be read now is not gone: its cells are new. */
    bool was = a && osw_compare_side_judged(a->status) && !(a->folder && !b);

    *p = (struct osw_compare_pair){
        .key = a ? a->key : b->key,
        .base = a ? a->row : OSW_COMPARE_NO_ROW,
        .now = b ? b->row : OSW_COMPARE_NO_ROW,
        .kind = kind_of_verdicts(a, b),
        .effect = NAN,
        .half = NAN,
        .noise = NAN,
    };
    if ((a && a->broken) || (b && b->broken)) {
        c->n_broken += (a && osw_compare_side_judged(a->status)) ||
                       (b && osw_compare_side_judged(b->status));
        return; /* it depends on workers and sessions, not on code */
    }
    c->n_judged += was;
    c->n_common += was && b;
    if (!was && (!b || !osw_compare_side_judged(b->status)))
        return; /* judged in neither */
    if (p->kind == OSW_COMPARE_UNTIMED && a && b)
        pair_times(c, a, b, p);
    c->n++;
}

static int join(struct osw_compare *c, struct osw_error *err)
{
    const struct osw_compare_side *a = &c->base, *b = &c->now;
    size_t i = 0, k = 0;

    c->pairs = malloc((a->n + b->n) * sizeof(*c->pairs) + 1);
    if (!c->pairs)
        return no_memory(err);
    while (i < a->n || k < b->n) {
        bool from_a =
            k == b->n || (i < a->n && a->cells[i].key <= b->cells[k].key);
        bool from_b =
            i == a->n || (k < b->n && b->cells[k].key <= a->cells[i].key);

        add_pair(c, from_a ? &a->cells[i] : NULL, from_b ? &b->cells[k] : NULL);
        i += from_a;
        k += from_b;
    }
    return 0;
}

/* --- times --- */

/* What all cells have in common is the machine's: clocks, driver, node.  The
 * interval of their median: that of what is left, clipped, in clusters of ops
 * (of cells where there is one op alone), and what a launch does to all cells
 * alike on a machine on which they scatter so much.  Sorts d[n].
 */
static int find_interval(struct osw_compare *c, const float *d, size_t n,
                         struct osw_error *err)
{
    const struct osw_compare_side *s = &c->base;
    size_t n_ops = osw_file_dict_count(s->file, OSW_DICT_OP), used = 0;
    size_t size = n_ops > n ? n_ops : n;
    double *sums = calloc(2 * size + 2, sizeof(*sums));
    double *counts = sums + size + 1, most = CLIP * c->spread;
    size_t k = 0;

    if (!sums)
        return no_memory(err);
    for (size_t i = 0; i < c->n; i++) {
        uint32_t op = c->pairs[i].base >= 0 ? s->op[c->pairs[i].base] : 0;

        if (c->pairs[i].kind != OSW_COMPARE_SAME || op >= n_ops)
            continue;
        used += counts[op] == 0;
        sums[op] += fmax(-most, fmin(most, (double)d[k++] - c->shift));
        counts[op]++;
    }
    if (used == 1) {
        memset(sums, 0, (2 * size + 2) * sizeof(*sums));
        for (size_t i = 0; i < k; i++) {
            sums[i] = fmax(-most, fmin(most, (double)d[i] - c->shift));
            counts[i] = 1;
        }
    }
    c->shift_half = hypot(osw_stats_clustered(sums, counts, size, 0.95).half,
                          HALF_95 * LAUNCH_PART * c->spread);
    free(sums);
    return 0;
}

static int find_shift(struct osw_compare *c, struct osw_error *err)
{
    float *d = malloc(2 * c->n * sizeof(*d) + 1), *sorted;
    size_t n = 0;
    int rc = 0;

    if (!d)
        return no_memory(err);
    sorted = d + c->n;
    for (size_t i = 0; i < c->n; i++)
        if (c->pairs[i].kind == OSW_COMPARE_SAME)
            d[n++] = c->pairs[i].effect;
    c->n_timed = n;
    c->shift_out = n >= OSW_COMPARE_TAKEN_OUT;
    c->shift_half = NAN;
    if (n >= LEAST_FOR_SHIFT) {
        memcpy(sorted, d, n * sizeof(*d));
        c->shift = osw_compare_side_median(sorted, n);
        for (size_t i = 0; i < n; i++)
            sorted[i] = fabsf(d[i] - (float)c->shift);
        c->spread = MAD_SIGMA * osw_compare_side_median(sorted, n);
        rc = find_interval(c, d, n, err);
    }
    free(d);
    return rc;
}

double osw_compare_threshold(const struct osw_compare *c,
                             const struct osw_compare_pair *p)
{
    return fmax(log1p(c->options.threshold), p->noise);
}

double osw_compare_margin(const struct osw_compare *c)
{
    return log1p(fmax(c->options.margin, c->options.threshold));
}

static enum osw_compare_kind kind_of_times(const struct osw_compare *c,
                                           const struct osw_compare_pair *p)
{
    double size = fabsf(p->effect);
    double half = isnan(p->half) ? INFINITY : p->half;

    if (size > osw_compare_threshold(c, p) && size > half)
        return p->effect > 0 ? OSW_COMPARE_SLOWER : OSW_COMPARE_FASTER;
    return osw_stats_same(size, half * OSW_COMPARE_HALF_90 / HALF_95,
                          osw_compare_margin(c))
               ? OSW_COMPARE_SAME
               : OSW_COMPARE_UNSURE;
}

static bool is_suspicion(const struct osw_compare_pair *p)
{
    return p->kind == OSW_COMPARE_SLOWER || p->kind == OSW_COMPARE_FASTER;
}

/* How likely noise with heavy tails makes as much of a difference; 1 for what
 * is not far, or not in all samples: a test of those alone, of all cells.
 */
static double chance_of(const struct osw_compare *c,
                        const struct osw_compare_pair *p)
{
    double size = fabsf(p->effect);
    double scale =
        fmax((double)p->half / HALF_95, c->shift_out ? c->spread : 0);

    return is_suspicion(p) && p->apart && size >= log(FAR)
               ? 2 * osw_stats_t_tail(size / scale, TAILS)
               : 1;
}

/* Far beyond the noise of both files: no runs are needed. */
static int judge_far(struct osw_compare *c, struct osw_error *err)
{
    double *p = malloc(c->n_timed * sizeof(*p) + 1), most;
    size_t n = 0;

    if (!p)
        return no_memory(err);
    for (size_t i = 0; i < c->n && n < c->n_timed; i++)
        if (!isnan(c->pairs[i].effect) &&
            c->pairs[i].kind != OSW_COMPARE_INCOMPARABLE)
            p[n++] = chance_of(c, &c->pairs[i]);
    most = osw_stats_bh(p, n, OSW_COMPARE_FAR_FDR);
    for (size_t i = 0; i < c->n; i++) {
        struct osw_compare_pair *pair = &c->pairs[i];

        if (is_suspicion(pair) && chance_of(c, pair) <= most)
            pair->kind =
                pair->effect > 0 ? OSW_COMPARE_REGRESSED : OSW_COMPARE_IMPROVED;
    }
    free(p);
    return 0;
}

static int judge_times(struct osw_compare *c, struct osw_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        struct osw_compare_pair *p = &c->pairs[i];

        if (p->kind != OSW_COMPARE_SAME)
            continue;
        if (c->shift_out)
            p->effect -= (float)c->shift;
        p->kind = kind_of_times(c, p);
    }
    if (judge_far(c, err) < 0)
        return -1;
    for (size_t i = 0; i < c->n; i++)
        c->n_undecided += is_suspicion(&c->pairs[i]);
    return 0;
}

static int by_gravity(const void *a, const void *b)
{
    const struct osw_compare_pair *x = a, *y = b;
    float d = fabsf(x->effect), e = fabsf(y->effect);

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (d != e && !isnan(d) && !isnan(e))
        return d > e ? -1 : 1;
    if (x->base != y->base)
        return x->base < y->base ? -1 : 1;
    return (x->now > y->now) - (x->now < y->now);
}

void osw_compare_sort(struct osw_compare *c)
{
    memset(c->n_kind, 0, sizeof(c->n_kind));
    for (size_t i = 0; i < c->n; i++)
        c->n_kind[c->pairs[i].kind]++;
    qsort(c->pairs, c->n, sizeof(*c->pairs), by_gravity);
}

int osw_compare_run(const osw_file_t *base, const osw_file_t *now,
                    const struct osw_compare_options *options,
                    struct osw_compare *out, struct osw_error *err)
{
    *out = (struct osw_compare){.options = *options};
    if (osw_compare_side_read(base, &out->base, err) < 0 ||
        osw_compare_side_read(now, &out->now, err) < 0 || join(out, err) < 0 ||
        find_shift(out, err) < 0 || judge_times(out, err) < 0)
        return -1;
    osw_compare_surroundings(out);
    osw_compare_sort(out);
    return 0;
}

void osw_compare_free(struct osw_compare *c)
{
    osw_compare_side_free(&c->base);
    osw_compare_side_free(&c->now);
    free(c->pairs);
    for (size_t i = 0; i < c->n_remarks; i++)
        free(c->remarks[i]);
    free(c->remarks);
}

bool osw_compare_shifted(const struct osw_compare *c, double most)
{
    return c->shift > log1p(most) && c->shift - c->shift_half > 0;
}
