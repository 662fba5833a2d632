/* worker/judge/timing/figures.c - the figures of a record, from what was timed
 */
#include "worker/judge/timing/figures.h"

#include <math.h>
#include <string.h>

static void keep_times(const struct osw_measure_job *job,
                       const struct osw_blocks *own,
                       const struct osw_summary *s, struct osw_record *r)
{
    r->t_min_ns = s->min;
    r->t_q1_ns = s->q1;
    r->t_median_ns = s->median;
    r->t_q3_ns = s->q3;
    r->t_p95_ns = s->p95;
    r->t_max_ns = s->max;
    r->t_mean_ns = s->mean;
    r->t_mad_ns = s->mad;
    r->t_ci_lo_ns = s->ci_lo;
    r->t_ci_hi_ns = s->ci_hi;
    r->samples = own->samples;
    r->sample_n = own->n;
    r->n_inner = own->n_inner;
    r->n_warmup = job->profile->n_warmup + 2;
    r->cold = job->cold;
    if (job->agree->gang)
        r->skew_ns = own->spread_sum / own->n_spreads;
    r->gbps = r->bytes / s->median;
    r->gflops = r->flops / s->median;
    r->t_light_ns = job->light_ns;
}

/* Add the differences between launches of the same code on a device to an
 * interval around `value`, as independent errors (root of the sum of squares).
 */
static void add_launch(const struct osw_measure_job *job, double median_ns,
                       double value, double *lo, double *hi)
{
    const struct osw_launch_floor *floor = &job->launch;
    double part = floor->ns / median_ns, below, above;

    if (!job->device || isnan(*lo) || isnan(*hi))
        return;
    part = hypot(part, floor->part) * value;
    below = hypot(value - *lo, part);
    above = hypot(*hi - value, part);
    *lo = value - below;
    *hi = value + above;
}

static void keep_speedup(const struct osw_measure_job *job,
                         struct osw_blocks *base,
                         const struct osw_speedup *speedup,
                         struct osw_record *r)
{
    memcpy(base->scratch, base->medians, base->n_medians * sizeof(double));
    osw_samples_sort(base->scratch, base->n_medians);
    r->baseline_median_ns =
        osw_samples_quantile(base->scratch, base->n_medians, 0.5);
    r->speedup = speedup->ratio;
    r->speedup_lo = speedup->lo;
    r->speedup_hi = speedup->hi;
    add_launch(job, r->t_median_ns, r->speedup, &r->speedup_lo, &r->speedup_hi);
}

void osw_figures_keep(const struct osw_measure_job *job,
                      const struct osw_blocks *own, struct osw_blocks *base,
                      const struct osw_summary *summary,
                      const struct osw_speedup *speedup, uint8_t timer,
                      struct osw_record *record)
{
    keep_times(job, own, summary, record);
    record->timer_id = timer;
    if (base && base->n_medians) {
        keep_speedup(job, base, speedup, record);
    } else if (job->is_baseline) {
        record->baseline_median_ns = summary->median;
        record->speedup = 1;
    }
}
