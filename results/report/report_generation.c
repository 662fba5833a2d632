/* results/report/report_generation.c - what generating the kernels of a file
 * came to */
#include "results/report/report_generation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "results/report/report_cut.h"

enum { MAX_OUTCOMES = 16, MAX_LINES = 3 };

const double osw_generation_p[OSW_GENERATION_N_P] = {0.5, 0.8, 1, 1.5, 2};
const uint32_t osw_generation_k[OSW_GENERATION_N_K] = {1, 3, 5};

typedef struct osw_generation_attempt attempt_t;

/* --- scores --- */

/* The attempts at an op from *at on: [*n].  Rows of an op are together, and
 * ops in the order of their own table, so the op's count finds them; texts
 * would not, in an anonymized file they are "".
 */
static const attempt_t *attempts_at(const struct osw_generation *g,
                                    const struct osw_generation_op *op,
                                    size_t *at, size_t *n)
{
    const attempt_t *first = g->n_attempts ? g->attempts + *at : NULL;
    size_t left = g->n_attempts - *at;

    *n = op->n_attempts < left ? op->n_attempts : left;
    *at += *n;
    return first;
}

static bool is_right(const attempt_t *a)
{
    return a->n_planned > 0 && a->n_passed == a->n_planned;
}

/* Of those that start from nothing: how many, and how many are right. */
static void count_starts(const attempt_t *a, size_t n, uint32_t *n_starts,
                         uint32_t *n_right)
{
    *n_starts = *n_right = 0;
    for (size_t i = 0; i < n; i++) {
        const attempt_t *of = &a[i];

        if (a[i].parent != 0)
            continue;
        if (a[i].twin > 0 && a[i].twin <= n)
            of = &a[a[i].twin - 1];
        ++*n_starts;
        *n_right += is_right(of);
    }
}

double osw_generation_pass_at(uint32_t n, uint32_t c, uint32_t k)
{
    double none = 1;

    if (n < k || k == 0)
        return NAN;
    if (n - c < k)
        return 1;
    for (uint32_t i = n - c + 1; i <= n; i++)
        none *= 1 - (double)k / i;
    return 1 - none;
}

static void add_pass_at(const struct osw_generation *g,
                        struct osw_generation_scores *s)
{
    size_t at = 0, n;

    for (size_t i = 0; i < g->n_ops; i++) {
        const attempt_t *first = attempts_at(g, &g->ops[i], &at, &n);
        uint32_t n_starts, n_right;

        count_starts(first, n, &n_starts, &n_right);
        for (int k = 0; k < OSW_GENERATION_N_K; k++) {
            double p =
                osw_generation_pass_at(n_starts, n_right, osw_generation_k[k]);

            if (isnan(p))
                continue;
            s->pass_at[k].mean += p;
            s->pass_at[k].n_ops++;
        }
    }
    for (int k = 0; k < OSW_GENERATION_N_K; k++)
        s->pass_at[k].mean =
            s->pass_at[k].n_ops
                ? s->pass_at[k].mean / (double)s->pass_at[k].n_ops
                : NAN;
}

struct osw_generation_scores
osw_generation_scores_of(const struct osw_generation *g)
{
    struct osw_generation_scores s = {
        .n_ops = g->n_ops, .performance = NAN, .baseline = ""};
    bool any_timed = false;
    double sum = 0;

    for (size_t i = 0; i < g->n_ops; i++)
        any_timed = any_timed || g->ops[i].speedup > 0;
    for (size_t i = 0; i < g->n_ops; i++) {
        const struct osw_generation_op *op = &g->ops[i];
        bool right = op->winner > 0;

        s.n_right += right;
        for (int p = 0; p < OSW_GENERATION_N_P; p++)
            s.n_above[p] += right && op->speedup > osw_generation_p[p];
        if (!any_timed || (right && !(op->speedup > 0)))
            continue;
        sum += right ? log(op->speedup) : 0;
        s.baseline = s.n_perf == 0 || strcmp(s.baseline, op->baseline) == 0
                         ? op->baseline
                         : "several";
        s.n_perf++;
    }
    if (s.n_perf > 0)
        s.performance = exp(sum / (double)s.n_perf);
    add_pass_at(g, &s);
    return s;
}

static void add_fast(const struct osw_generation_scores *s,
                     struct osw_text *out)
{
    for (int p = 0; p < OSW_GENERATION_N_P; p++)
        osw_text_printf(out, "fast_%-7g %.3f  %zu of %zu op%s\n",
                        osw_generation_p[p],
                        (double)s->n_above[p] / (double)s->n_ops, s->n_above[p],
                        s->n_ops, osw_plural(s->n_ops));
}

void osw_generation_scores_add(const struct osw_generation *g,
                               struct osw_text *out)
{
    const struct osw_generation_scores s = osw_generation_scores_of(g);

    if (s.n_ops == 0)
        return;
    osw_text_printf(out,
                    "correctness  %.3f  %zu of %zu op%s with a kernel that "
                    "passes every cell of the last campaign\n",
                    (double)s.n_right / (double)s.n_ops, s.n_right, s.n_ops,
                    osw_plural(s.n_ops));
    if (s.n_perf > 0) {
        osw_text_printf(out,
                        "performance  %.3f  geometric mean of the speedups of "
                        "%zu op%s, those without a right kernel being 1.0; "
                        "baseline %s\n",
                        s.performance, s.n_perf, osw_plural(s.n_perf),
                        *s.baseline ? s.baseline : "of each op");
        add_fast(&s, out);
    }
    for (int k = 0; k < OSW_GENERATION_N_K; k++)
        if (s.pass_at[k].n_ops > 0)
            osw_text_printf(out,
                            "pass@%-7u %.3f  mean over %zu op%s with %u or "
                            "more attempts that start from nothing\n",
                            osw_generation_k[k], s.pass_at[k].mean,
                            s.pass_at[k].n_ops, osw_plural(s.pass_at[k].n_ops),
                            osw_generation_k[k]);
}

/* --- totals --- */

struct totals {
    uint64_t in, out, cache_read, cache_write;
    double cost, ask_s, judge_s;
    const char *outcomes[MAX_OUTCOMES];
    size_t n_of[MAX_OUTCOMES], n_outcomes;
    const char *model, *api, *lang; /* "several" */
};

static void count_outcome(struct totals *t, const char *outcome)
{
    size_t i = 0;

    while (i < t->n_outcomes && strcmp(t->outcomes[i], outcome) != 0)
        i++;
    if (i == MAX_OUTCOMES)
        return;
    t->n_outcomes = i == t->n_outcomes ? i + 1 : t->n_outcomes;
    t->outcomes[i] = outcome;
    t->n_of[i]++;
}

/* Texts that are not there say nothing. */
static const char *same_or_several(const char *before, const char *now)
{
    return !*now || strcmp(before, now) == 0 ? before
           : *before                         ? "several"
                                             : now;
}

static struct totals add_up(const struct osw_generation *g)
{
    struct totals t = {.model = "", .api = "", .lang = ""};

    for (size_t i = 0; i < g->n_attempts; i++) {
        const attempt_t *a = &g->attempts[i];

        t.in += a->tokens_in;
        t.out += a->tokens_out;
        t.cache_read += a->tokens_cache_read;
        t.cache_write += a->tokens_cache_write;
        t.cost += a->cost;
        t.ask_s += (double)a->ask_ns * 1e-9;
        t.judge_s += (double)a->judge_ns * 1e-9;
        t.model = same_or_several(t.model, a->model);
        t.api = same_or_several(t.api, a->api);
        t.lang = same_or_several(t.lang, a->lang);
        count_outcome(&t, a->outcome);
    }
    return t;
}

static void add_model(const struct totals *t, struct osw_text *out)
{
    if (*t->lang)
        osw_text_printf(out, " in %s", t->lang);
    if (*t->api)
        osw_text_printf(out, " by %s", t->api);
    if (*t->model)
        osw_text_printf(out, " %s", t->model);
}

void osw_report_generation_add(const struct osw_generation *g,
                               struct osw_text *out)
{
    const struct totals t = add_up(g);

    if (g->n_ops == 0)
        return;
    osw_text_printf(out, "generated    %zu attempt%s at %zu op%s",
                    g->n_attempts, osw_plural(g->n_attempts), g->n_ops,
                    osw_plural(g->n_ops));
    add_model(&t, out);
    for (size_t i = 0; i < t.n_outcomes; i++)
        if (*t.outcomes[i])
            osw_text_printf(out, "%s%zu %s", i ? ", " : ": ", t.n_of[i],
                            t.outcomes[i]);
    osw_text_printf(out, "; %.3g s of asking, %.3g s of judging\n", t.ask_s,
                    t.judge_s);
    if (t.in || t.out || t.cache_read || t.cache_write)
        osw_text_printf(out,
                        "tokens       %" PRIu64 " in, %" PRIu64
                        " read from the cache, %" PRIu64
                        " written to it, %" PRIu64 " out\n",
                        t.in, t.cache_read, t.cache_write, t.out);
    if (t.cost > 0)
        osw_text_printf(out, "cost         %.6g\n", t.cost);
    osw_generation_scores_add(g, out);
}

int osw_report_generation_lines(const osw_file_t *file, int width, FILE *out,
                                struct osw_error *err)
{
    struct osw_text t = OSW_TEXT_INIT;
    struct osw_generation g;
    char *save = NULL;
    int rc = 0;

    if (osw_generation_read(file, &g, err) < 0)
        return -1;
    osw_report_generation_add(&g, &t);
    if (t.failed)
        rc = osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
    for (char *line = t.used && !t.failed ? strtok_r(t.data, "\n", &save)
                                          : NULL;
         line; line = strtok_r(NULL, "\n", &save))
        osw_report_put_lines(out, line, width, 0, 13, MAX_LINES);
    osw_text_free(&t);
    osw_generation_free(&g);
    return rc;
}

/* --- JSON --- */

static void put_scores(struct osw_json_out *o, const struct osw_generation *g)
{
    const struct osw_generation_scores s = osw_generation_scores_of(g);

    osw_json_out_u64(o, "n_ops", s.n_ops);
    osw_json_out_u64(o, "n_ops_right", s.n_right);
    osw_json_out_u64(o, "n_ops_with_performance", s.n_perf);
    osw_json_out_f64(o, "performance", s.performance);
    osw_json_out_str(o, "baseline", s.baseline);
    osw_json_out_list(o, "fast");
    for (int p = 0; p < OSW_GENERATION_N_P; p++) {
        osw_json_out_object(o, NULL);
        osw_json_out_f64(o, "p", osw_generation_p[p]);
        osw_json_out_u64(o, "n_ops", s.n_above[p]);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
    osw_json_out_list(o, "pass_at");
    for (int k = 0; k < OSW_GENERATION_N_K; k++) {
        osw_json_out_object(o, NULL);
        osw_json_out_u64(o, "k", osw_generation_k[k]);
        osw_json_out_f64(o, "mean", s.pass_at[k].mean);
        osw_json_out_u64(o, "n_ops", s.pass_at[k].n_ops);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

static void put_ops(struct osw_json_out *o, const struct osw_generation *g)
{
    osw_json_out_list(o, "ops");
    for (size_t i = 0; i < g->n_ops; i++) {
        const struct osw_generation_op *op = &g->ops[i];

        osw_json_out_object(o, NULL);
        osw_json_out_str(o, "op", op->op);
        osw_json_out_u64(o, "n_attempts", op->n_attempts);
        osw_json_out_u64(o, "winner", op->winner);
        osw_json_out_str(o, "baseline", op->baseline);
        osw_json_out_f64(o, "speedup", op->speedup);
        osw_json_out_f64(o, "speedup_lo", op->speedup_lo);
        osw_json_out_f64(o, "speedup_hi", op->speedup_hi);
        osw_json_out_str(o, "why", op->why);
        osw_json_out_end(o);
    }
    osw_json_out_end(o);
}

int osw_report_generation_json(const osw_file_t *file, struct osw_json_out *o,
                               struct osw_error *err)
{
    struct osw_generation g;
    struct totals t;

    if (osw_generation_read(file, &g, err) < 0)
        return -1;
    if (g.n_ops > 0) {
        t = add_up(&g);
        osw_json_out_object(o, "generation");
        osw_json_out_u64(o, "n_attempts", g.n_attempts);
        osw_json_out_u64(o, "tokens_in", t.in);
        osw_json_out_u64(o, "tokens_cache_read", t.cache_read);
        osw_json_out_u64(o, "tokens_cache_write", t.cache_write);
        osw_json_out_u64(o, "tokens_out", t.out);
        osw_json_out_f64(o, "cost", t.cost);
        osw_json_out_f64(o, "ask_s", t.ask_s);
        osw_json_out_f64(o, "judge_s", t.judge_s);
        put_scores(o, &g);
        put_ops(o, &g);
        osw_json_out_end(o);
    }
    osw_generation_free(&g);
    return 0;
}
