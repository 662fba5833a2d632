/* results/report/report_summary.h - a result file added up, as data
 *
 * Upstream: osw_report_summarize().  Downstream: formats, scores.h,
 * report_versus.h.
 */
#ifndef OSW_RESULTS_REPORT_SUMMARY_H
#define OSW_RESULTS_REPORT_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/record/state.h"

enum {
    OSW_REPORT_N_STATES = 256, /* status_id is u8 */
    OSW_SCORES_N_P = 6,        /* thresholds of speedups: osw_scores_p */
};
/* In place of a model of device, where all compared cells are of one. */
#define OSW_REPORT_ONE_MODEL UINT32_MAX

/* How often a state came with the same kind of reason (report_kind.h). */
struct osw_report_reason {
    uint32_t row;       /* of the summary; UINT32_MAX: of all rows together */
    uint32_t kind_id;   /* the first reason of the kind */
    uint32_t reason_id; /* of one such cell */
    bool several;       /* reasons differ: only the kind's name holds for all */
    enum osw_state state;
    uint64_t n;
};

/* All cells of one op and implementation. */
struct osw_report_row {
    uint32_t op_id, impl_id;
    uint64_t n_cells;
    uint64_t n_state[OSW_REPORT_N_STATES];
    uint64_t n_group[OSW_GROUP_COUNT]; /* add up to n_cells */
    uint64_t n_freivalds;              /* of those that passed */
    uint64_t n_suspect;                /* their device failed afterwards */
    uint64_t n_measured;               /* passed, and with a time */
    uint64_t n_own;              /* passed and timed as the baseline itself */
    uint64_t n_timed;            /* passed, and compared with a baseline */
    uint64_t n_faster, n_slower; /* of those: the interval is above, below 1 */
    double log2_speedup, sum_speedup; /* sums over n_timed */
    uint64_t n_above[OSW_SCORES_N_P]; /* of n_timed: speedup > p */
    uint32_t n_baselines;             /* of n_timed, those of each model */
    uint32_t first_versus;            /* of summary->versus */
    double max_rel_err, max_abs_err;  /* of all compared; NaN: none was */
    double max_of_allowed;            /* the same over what was allowed */
    uint64_t n_light;    /* passed, with a known speed of light limit */
    double light_median; /* of them: share of that limit; NaN: none, or of an
                          * operator's: on several models of device */
};

/* Speedups of a row's cells on one model of device against one baseline
 * (report_versus.h).
 */
struct osw_report_versus {
    uint32_t row;         /* of the summary; UINT32_MAX: of all rows */
    uint32_t baseline_id; /* in /dict/baseline */
    uint32_t device_id;   /* in /dict/device, or OSW_REPORT_ONE_MODEL */
    bool oracle;          /* the reference of an older version: not counted */
    uint64_t n, n_faster, n_slower;
    uint64_t n_ops;    /* of a headline */
    uint64_t n_failed; /* failed or in error */
    double log2_speedup, sum_speedup;
    uint64_t n_above[OSW_SCORES_N_P];
    double lo, hi; /* of a headline: 95 %, cells clustered by op; NaN: 1 op */
};

/* Are both beside the same baseline, on the same model of device? */
static inline bool osw_report_versus_alike(const struct osw_report_versus *a,
                                           const struct osw_report_versus *b)
{
    return a->baseline_id == b->baseline_id && a->device_id == b->device_id;
}

/* The whole file, added up. */
struct osw_report_summary {
    struct osw_report_row total;
    struct osw_report_row *rows; /* [n_rows], by op name, then implementation */
    size_t n_rows;
    /* By row, the baseline of most cells first; the reference is last. */
    struct osw_report_versus *versus; /* [n_versus] */
    size_t n_versus;
    struct osw_report_versus *headlines; /* [n_headlines], of all rows */
    size_t n_headlines;
    bool several_models; /* of device, among cells with a speedup or a limit */
    /* Of cells in groups "not judged" and "infra": by row, most frequent
     * first.
     */
    struct osw_report_reason *reasons; /* [n_reasons] */
    size_t n_reasons;
    struct osw_report_reason *totals; /* [n_totals], of all rows together */
    size_t n_totals;
    uint64_t n_missing; /* planned, and not recorded */
};

#endif /* OSW_RESULTS_REPORT_SUMMARY_H */
