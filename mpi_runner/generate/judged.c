/* mpi_runner/generate/judged.c - cells of one implementation to a verdict */
#include "mpi_runner/generate/judged.h"

#include <math.h>

static bool counts(const struct osw_record *r)
{
    enum osw_state state = (enum osw_state)r->status_id;

    return state != OSW_STATE_WEAK && osw_state_group(state) != OSW_GROUP_INFRA;
}

double osw_judged_light(const struct osw_record *r)
{
    return r->t_light_ns > 0 && r->t_median_ns > 0
               ? r->t_light_ns / r->t_median_ns
               : 0;
}

struct osw_attempt_verdict
osw_judged_verdict(const struct osw_judged_cell *cells, size_t n)
{
    struct osw_attempt_verdict v = {.n_planned = 0};
    double sum = 0, lo = 0, hi = 0, light = 0, time = 0;
    size_t n_light = 0, n_time = 0, n_known = 0;

    for (size_t i = 0; i < n; i++) {
        const struct osw_record *r = &cells[i].record;
        enum osw_state_group group =
            osw_state_group((enum osw_state)r->status_id);

        v.judge_ns += r->wall_ns > 0 ? r->wall_ns : 0;
        if (!counts(r))
            continue;
        v.n_planned++;
        v.n_failed += group == OSW_GROUP_FAIL;
        v.n_errors += group == OSW_GROUP_ERROR;
        if (r->status_id != OSW_STATE_PASS)
            continue;
        v.n_passed++;
        if (r->speedup > 0) {
            sum += log(r->speedup);
            v.n_timed++;
        }
        if (r->speedup > 0 && r->speedup_lo > 0 && r->speedup_hi > 0) {
            lo += log(r->speedup_lo);
            hi += log(r->speedup_hi);
            n_known++;
        }
        if (osw_judged_light(r) > 0) {
            light += log(osw_judged_light(r));
            n_light++;
        }
        if (r->t_median_ns > 0) {
            time += log(r->t_median_ns);
            n_time++;
        }
    }
    if (v.n_timed > 0)
        v.speedup = exp(sum / v.n_timed);
    if (v.n_timed > 0 && n_known == v.n_timed) {
        v.speedup_lo = exp(lo / v.n_timed);
        v.speedup_hi = exp(hi / v.n_timed);
    }
    v.light = n_light > 0 ? exp(light / (double)n_light) : 0;
    v.time_ns = n_time > 0 ? exp(time / (double)n_time) : 0;
    return v;
}

/* What concerns more than the cell comes first; then what ended early. */
static int weight(const struct osw_record *r)
{
    enum osw_state state = (enum osw_state)r->status_id;

    if (state == OSW_STATE_PASS || !counts(r))
        return 0;
    if (state == OSW_STATE_SKIPPED)
        return 1; /* most often after failures of other cells */
    if (osw_state_scope(state) != OSW_SCOPE_CELL)
        return 5;
    switch (osw_state_group(state)) {
    case OSW_GROUP_ERROR:
        return 4;
    case OSW_GROUP_FAIL:
        return 3;
    default:
        return 2;
    }
}

const struct osw_judged_cell *
osw_judged_failure(const struct osw_judged_cell *cells, size_t n)
{
    const struct osw_judged_cell *worst = NULL;

    for (size_t i = 0; i < n; i++) {
        int w = weight(&cells[i].record);
        int most = worst ? weight(&worst->record) : 0;

        /* Of equals the smaller case: it says the same in fewer numbers. */
        if (w > most ||
            (w > 0 && w == most &&
             cells[i].record.memory_bytes < worst->record.memory_bytes))
            worst = &cells[i];
    }
    return worst;
}

const struct osw_judged_cell *
osw_judged_slowest(const struct osw_judged_cell *cells, size_t n)
{
    const struct osw_judged_cell *slowest = NULL;

    for (size_t i = 0; i < n; i++) {
        const struct osw_record *r = &cells[i].record;

        if (r->status_id == OSW_STATE_PASS && r->t_median_ns > 0 &&
            (!slowest || r->t_median_ns > slowest->record.t_median_ns))
            slowest = &cells[i];
    }
    return slowest;
}
