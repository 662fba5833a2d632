/* results/report/report_versus.c - speedups by baseline, and shares of the
 * roofline */
#include "results/report/report_versus.h"
#include "results/report/scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/compare/stats.h"

/* A real campaign has a handful; a forged file may have one per cell. */
enum { MAX_HEADLINES = 32 };

bool osw_report_is_oracle(const char *baseline)
{
    return strcmp(baseline, "reference") == 0;
}

enum osw_report_speedup osw_report_speedup_of(const osw_file_t *file,
                                              const struct osw_record *r)
{
    if (r->status_id != OSW_STATE_PASS || !(r->speedup > 0) ||
        isinf(r->speedup))
        return OSW_REPORT_NO_SPEEDUP;
    if (osw_report_is_oracle(r->baseline))
        return OSW_REPORT_ORACLE;
    if (strcmp(r->baseline, osw_file_text(file, OSW_DICT_IMPL, r->impl_id)) ==
        0)
        return OSW_REPORT_OWN;
    return OSW_REPORT_COMPARED;
}

double osw_report_light_of(const struct osw_record *r)
{
    if (r->status_id != OSW_STATE_PASS || !(r->t_light_ns > 0) ||
        !(r->t_median_ns > 0) || isinf(r->t_median_ns))
        return NAN;
    return r->t_light_ns / r->t_median_ns;
}

int osw_report_timings_add(struct osw_report_timings *t, const osw_file_t *file,
                           uint32_t row, const struct osw_record *r)
{
    enum osw_state_group group = osw_state_group((enum osw_state)r->status_id);
    struct osw_report_timing timing = {
        .row = row,
        .baseline_id = r->baseline_id,
        .device_id = r->device_id,
        .speedup = (uint8_t)osw_report_speedup_of(file, r),
        .failed = group == OSW_GROUP_FAIL || group == OSW_GROUP_ERROR,
        .faster = r->speedup_lo > 1, /* false for NaN */
        .slower = r->speedup_hi < 1,
        .value = r->speedup,
        .light = osw_report_light_of(r),
    };

    if (timing.speedup == OSW_REPORT_NO_SPEEDUP && !timing.failed &&
        isnan(timing.light))
        return 0;
    if (t->n == t->size) {
        size_t size = t->size ? 2 * t->size : 256;
        struct osw_report_timing *p = realloc(t->list, size * sizeof(*p));

        if (!p)
            return -1;
        t->list = p;
        t->size = size;
    }
    t->list[t->n++] = timing;
    return 0;
}

void osw_report_timings_free(struct osw_report_timings *t)
{
    free(t->list);
    memset(t, 0, sizeof(*t));
}

/* --- speedups --- */

uint32_t osw_report_model(const struct osw_report_summary *s,
                          uint32_t device_id)
{
    return s->several_models ? device_id : OSW_REPORT_ONE_MODEL;
}

/* Whatever failed would have been compared with the only baseline. */
static void find_models(struct osw_report_timings *t,
                        struct osw_report_summary *s)
{
    const struct osw_report_timing *first = NULL, *any = NULL;
    bool one_baseline = true;

    for (size_t i = 0; i < t->n; i++) {
        const struct osw_report_timing *x = &t->list[i];

        if (x->speedup == OSW_REPORT_NO_SPEEDUP && isnan(x->light))
            continue;
        any = any ? any : x;
        s->several_models |= any->device_id != x->device_id;
        if (x->speedup != OSW_REPORT_COMPARED)
            continue;
        first = first ? first : x;
        one_baseline &= first->baseline_id == x->baseline_id;
    }
    for (size_t i = 0; i < t->n; i++) {
        struct osw_report_timing *x = &t->list[i];

        x->device_id = osw_report_model(s, x->device_id);
        if (x->failed && first && one_baseline)
            x->baseline_id = first->baseline_id;
    }
}

static int by_id(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_row_and_baseline(const void *x, const void *y)
{
    const struct osw_report_timing *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return a->baseline_id != b->baseline_id
               ? by_id(a->baseline_id, b->baseline_id)
               : by_id(a->device_id, b->device_id);
}

static void add_speedup(struct osw_report_versus *v,
                        const struct osw_report_timing *t)
{
    v->n_failed += t->failed;
    if (t->speedup == OSW_REPORT_ORACLE)
        v->oracle = true;
    else if (t->speedup != OSW_REPORT_COMPARED)
        return;
    v->n++;
    v->n_faster += t->faster;
    v->n_slower += t->slower;
    v->log2_speedup += log2(t->value);
    v->sum_speedup += t->value;
    for (int i = 0; i < OSW_SCORES_N_P; i++)
        v->n_above[i] += t->value > osw_scores_p[i];
}

/* Timings are sorted: one entry for each row, baseline and model. */
static int make_versus(const struct osw_report_timings *t,
                       struct osw_report_summary *s)
{
    struct osw_report_versus *v = calloc(t->n + 1, sizeof(*v));
    size_t n = 0;

    if (!v)
        return -1;
    for (size_t i = 0; i < t->n; i++) {
        const struct osw_report_timing *x = &t->list[i];

        if (x->speedup == OSW_REPORT_NO_SPEEDUP && !x->failed)
            continue;
        if (n == 0 || v[n - 1].row != x->row ||
            v[n - 1].baseline_id != x->baseline_id ||
            v[n - 1].device_id != x->device_id)
            v[n++] = (struct osw_report_versus){.row = x->row,
                                                .baseline_id = x->baseline_id,
                                                .device_id = x->device_id,
                                                .lo = NAN,
                                                .hi = NAN};
        add_speedup(&v[n - 1], x);
    }
    s->versus = v;
    s->n_versus = n;
    for (size_t i = 0; i < n; i++)
        s->rows[v[i].row].n_baselines += v[i].n > 0 && !v[i].oracle;
    return 0;
}

static int by_baseline_and_row(const void *x, const void *y)
{
    const struct osw_report_versus *a = x, *b = y;

    if (a->baseline_id != b->baseline_id)
        return by_id(a->baseline_id, b->baseline_id);
    return a->device_id != b->device_id ? by_id(a->device_id, b->device_id)
                                        : by_id(a->row, b->row);
}

/* Entries of all rows with one baseline and model; ops are the clusters. */
static struct osw_report_versus
add_up_baseline(const struct osw_report_summary *s,
                const struct osw_report_versus *v, size_t n, double *sums,
                double *counts)
{
    struct osw_report_versus all = {.row = UINT32_MAX,
                                    .baseline_id = v->baseline_id,
                                    .device_id = v->device_id};
    uint32_t op = 0;
    struct osw_stats_mean m;

    for (size_t i = 0; i < n; i++) {
        uint32_t this_op = s->rows[v[i].row].op_id;

        all.oracle |= v[i].oracle;
        all.n_failed += v[i].n_failed;
        if (v[i].n == 0)
            continue;
        if (all.n_ops == 0 || this_op != op) {
            sums[all.n_ops] = counts[all.n_ops] = 0;
            all.n_ops++;
        }
        op = this_op;
        sums[all.n_ops - 1] += v[i].log2_speedup;
        counts[all.n_ops - 1] += (double)v[i].n;
        all.n += v[i].n;
        all.n_faster += v[i].n_faster;
        all.n_slower += v[i].n_slower;
        all.log2_speedup += v[i].log2_speedup;
        all.sum_speedup += v[i].sum_speedup;
        for (int p = 0; p < OSW_SCORES_N_P; p++)
            all.n_above[p] += v[i].n_above[p];
    }
    m = osw_stats_clustered(sums, counts, all.n_ops, 0.95);
    all.lo = exp2(m.mean - m.half);
    all.hi = exp2(m.mean + m.half);
    return all;
}

/* Real baselines first, then those of most cells. */
static int by_cells(const void *x, const void *y)
{
    const struct osw_report_versus *a = x, *b = y;

    if (a->oracle != b->oracle)
        return a->oracle ? 1 : -1;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return by_baseline_and_row(x, y);
}

static int make_headlines(struct osw_report_summary *s)
{
    size_t n = s->n_versus, out = 0;
    struct osw_report_versus *v = calloc(n + 1, sizeof(*v));
    struct osw_report_versus *all = calloc(n + 1, sizeof(*all));
    double *sums = calloc(2 * n + 2, sizeof(*sums));
    int rc = v && all && sums ? 0 : -1;

    if (rc == 0) {
        memcpy(v, s->versus, n * sizeof(*v));
        qsort(v, n, sizeof(*v), by_baseline_and_row);
        for (size_t i = 0, end; i < n; i = end) {
            for (end = i + 1;
                 end < n && osw_report_versus_alike(&v[end], &v[i]);)
                end++;
            all[out] = add_up_baseline(s, v + i, end - i, sums, sums + n + 1);
            out += all[out].n > 0;
        }
        qsort(all, out, sizeof(*all), by_cells);
        s->headlines = all;
        for (size_t i = 0; i < out; i++)
            s->total.n_baselines += !all[i].oracle;
        s->n_headlines = out < MAX_HEADLINES ? out : MAX_HEADLINES;
        all = NULL;
    }
    free(v);
    free(all);
    free(sums);
    return rc;
}

/* Within a row those of most cells come first, too. */
static int by_row_and_cells(const void *x, const void *y)
{
    const struct osw_report_versus *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return by_cells(x, y);
}

static void find_versus_of_rows(struct osw_report_summary *s)
{
    if (s->n_versus)
        qsort(s->versus, s->n_versus, sizeof(*s->versus), by_row_and_cells);
    for (size_t i = s->n_versus; i-- > 0;)
        s->rows[s->versus[i].row].first_versus = (uint32_t)i;
}

/* --- shares of the roofline --- */

static int by_row_and_light(const void *x, const void *y)
{
    const struct osw_report_timing *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    return (a->light > b->light) - (a->light < b->light);
}

/* The timings from `i` on that are sorted by it. */
static void set_median(struct osw_report_row *row,
                       const struct osw_report_timing *t, size_t n)
{
    row->n_light = n;
    row->light_median =
        n == 0 ? NAN : (t[(n - 1) / 2].light + t[n / 2].light) / 2;
}

static void find_medians(struct osw_report_timings *t,
                         struct osw_report_summary *s)
{
    size_t n = 0;

    for (size_t i = 0; i < t->n; i++)
        if (!isnan(t->list[i].light))
            t->list[n++] = t->list[i];
    if (n)
        qsort(t->list, n, sizeof(*t->list), by_row_and_light);
    for (size_t i = 0, end; i < n; i = end) {
        bool one_model = true;

        for (end = i + 1; end < n && t->list[end].row == t->list[i].row; end++)
            one_model &= t->list[end].device_id == t->list[i].device_id;
        set_median(&s->rows[t->list[i].row], t->list + i, end - i);
        if (!one_model)
            s->rows[t->list[i].row].light_median = NAN;
    }
    for (size_t i = 0; i < n; i++)
        t->list[i].row = 0;
    if (n)
        qsort(t->list, n, sizeof(*t->list), by_row_and_light);
    set_median(&s->total, t->list, n);
}

int osw_report_timings_add_up(struct osw_report_timings *t,
                              struct osw_report_summary *s)
{
    find_models(t, s);
    if (t->n)
        qsort(t->list, t->n, sizeof(*t->list), by_row_and_baseline);
    if (make_versus(t, s) || make_headlines(s))
        return -1;
    find_versus_of_rows(s);
    find_medians(t, s);
    return 0;
}

/* --- looking at them --- */

const char *osw_report_baseline(const osw_file_t *file, uint32_t baseline_id)
{
    const char *name = osw_file_text(file, OSW_DICT_BASELINE, baseline_id);

    return *name ? name : "?";
}

const char *osw_report_versus_name(const osw_file_t *file, uint32_t baseline_id,
                                   uint32_t device_id, char *out, size_t size)
{
    const char *name = osw_report_baseline(file, baseline_id);
    bool named = device_id != OSW_REPORT_ONE_MODEL;

    snprintf(out, size, "vs %s%s%s%s", name, named ? " on " : "",
             named ? osw_file_text(file, OSW_DICT_DEVICE, device_id) : "",
             osw_report_is_oracle(name) ? " (an oracle, no baseline)" : "");
    return out;
}

double osw_report_versus_geomean(const struct osw_report_versus *v)
{
    return v->n ? exp2(v->log2_speedup / (double)v->n) : NAN;
}

const struct osw_report_versus *
osw_report_versus_next(const struct osw_report_summary *s, size_t row,
                       const struct osw_report_versus *v)
{
    size_t i = v ? (size_t)(v - s->versus) + 1 : s->rows[row].first_versus;

    while (i < s->n_versus && s->versus[i].row == row && s->versus[i].n == 0)
        i++;
    return i < s->n_versus && s->versus[i].row == row ? &s->versus[i] : NULL;
}
