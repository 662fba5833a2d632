/* results/report/scores.c - scores by the definitions of BackendBench and
 * KernelBench
 */
#include "results/report/scores.h"

#include <math.h>
#include <string.h>

const double osw_scores_p[OSW_SCORES_N_P] = {0.8, 1, 1.5, 2, 3, 5};

static uint64_t failed(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_FAIL] + r->n_group[OSW_GROUP_ERROR];
}

uint64_t osw_scores_tests(const struct osw_report_row *r)
{
    return r->n_group[OSW_GROUP_PASS] + failed(r);
}

uint64_t osw_scores_perf_tests(const struct osw_report_row *r, bool any_timed)
{
    return any_timed ? r->n_timed + failed(r) : 0;
}

double osw_scores_geomean(const struct osw_report_row *r, bool any_timed)
{
    uint64_t n = r->n_baselines > 1 ? 0 : osw_scores_perf_tests(r, any_timed);

    return n ? exp2(r->log2_speedup / (double)n) : NAN; /* log 1.0 is 0 */
}

double osw_scores_mean(const struct osw_report_row *r, bool any_timed)
{
    uint64_t n = r->n_baselines > 1 ? 0 : osw_scores_perf_tests(r, any_timed);

    return n ? (r->sum_speedup + (double)failed(r)) / (double)n : NAN;
}

void osw_scores_add_up(const struct osw_report_summary *summary,
                       uint64_t n_planned, struct osw_scores *out)
{
    const struct osw_report_row *t = &summary->total;
    bool any_timed = t->n_timed > 0;
    struct osw_scores s = {.n_tests = osw_scores_tests(t),
                           .n_pass = t->n_group[OSW_GROUP_PASS],
                           .n_planned = n_planned,
                           .n_timed = t->n_timed,
                           .n_baselines = t->n_baselines,
                           .n_perf = osw_scores_perf_tests(t, any_timed),
                           .n_perf_fail = any_timed ? failed(t) : 0};
    double log2_sum = 0;

    memcpy(s.n_cells_above, t->n_above, sizeof(s.n_cells_above));
    for (size_t i = 0; i < summary->n_rows; i++) {
        const struct osw_report_row *r = &summary->rows[i];
        double mean = osw_scores_geomean(r, any_timed);
        bool correct = failed(r) == 0;

        if (osw_scores_tests(r) == 0) {
            s.n_ops_without++;
            continue;
        }
        s.n_ops++;
        s.n_ops_correct += correct;
        for (int p = 0; p < OSW_SCORES_N_P; p++)
            s.n_ops_above[p] += correct && mean > osw_scores_p[p];
        s.n_ops_perf += osw_scores_perf_tests(r, any_timed) > 0;
        log2_sum += isnan(mean) ? 0 : log2(mean);
    }
    s.performance = s.n_ops_perf && s.n_baselines == 1
                        ? exp2(log2_sum / (double)s.n_ops_perf)
                        : NAN;
    *out = s;
}

void osw_scores_add_up_versus(const struct osw_report_summary *summary,
                              const struct osw_report_versus *headline,
                              struct osw_scores_versus *out)
{
    struct osw_scores_versus s = {.baseline_id = headline->baseline_id,
                                  .device_id = headline->device_id,
                                  .n_perf = headline->n + headline->n_failed,
                                  .n_perf_fail = headline->n_failed};
    double log2_sum = 0;

    memcpy(s.n_cells_above, headline->n_above, sizeof(s.n_cells_above));
    for (size_t i = 0; i < summary->n_versus; i++) {
        const struct osw_report_versus *v = &summary->versus[i];
        double mean = v->log2_speedup / (double)(v->n + v->n_failed);

        if (!osw_report_versus_alike(v, headline) || v->n + v->n_failed == 0)
            continue;
        s.n_ops_perf++;
        log2_sum += mean;
        for (int p = 0; p < OSW_SCORES_N_P; p++)
            s.n_ops_above[p] += failed(&summary->rows[v->row]) == 0 &&
                                exp2(mean) > osw_scores_p[p];
    }
    s.performance = s.n_ops_perf ? exp2(log2_sum / (double)s.n_ops_perf) : NAN;
    *out = s;
}
