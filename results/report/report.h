/* results/report/report.h - what a result file says, for people and for
 * programs
 *
 * A format is one row of a table: to add one, write report_x.c and list it in
 * report.c.  All formats are made from the file alone, numbers in the C
 * locale.
 *
 * Upstream: `opsweep report`.  Downstream: results/file/file.h.
 */
#ifndef OSW_RESULTS_REPORT_H
#define OSW_RESULTS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"
#include "common/json_out.h"
#include "ops/record/state.h"
#include "results/file/file.h"
#include "results/report/scores.h"

enum {
    OSW_REPORT_N_STATES = 256, /* status_id is u8 */
    OSW_REPORT_BLOCK = 16384,  /* rows read at a time */
};

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
    uint64_t n_measured;               /* passed, and with a time */
    uint64_t n_own;              /* passed and timed as the baseline itself */
    uint64_t n_timed;            /* passed, and compared with a baseline */
    uint64_t n_faster, n_slower; /* of those: the interval is above, below 1 */
    double log2_speedup, sum_speedup; /* sums over n_timed */
    uint64_t n_above[OSW_SCORES_N_P]; /* of n_timed: speedup > p */
    uint32_t n_baselines;             /* that n_timed are compared with */
    uint32_t first_versus;            /* of summary->versus */
    double max_rel_err, max_abs_err;  /* of all compared; NaN: none was */
    double max_of_allowed;            /* the same over what was allowed */
    uint64_t n_light;    /* passed, with a known speed of light limit */
    double light_median; /* of them: share of that limit; NaN: none */
};

/* Speedups of a row's cells against one baseline (report_versus.h). */
struct osw_report_versus {
    uint32_t row;         /* of the summary; UINT32_MAX: of all rows */
    uint32_t baseline_id; /* in /dict/baseline */
    bool oracle;          /* the reference of an older version: not counted */
    uint64_t n, n_faster, n_slower;
    uint64_t n_ops;    /* of a headline */
    uint64_t n_failed; /* failed or in error */
    double log2_speedup, sum_speedup;
    uint64_t n_above[OSW_SCORES_N_P];
    double lo, hi; /* of a headline: 95 %, cells clustered by op; NaN: 1 op */
};

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
    /* Of cells in groups "not judged" and "infra": by row, most frequent
     * first.
     */
    struct osw_report_reason *reasons; /* [n_reasons] */
    size_t n_reasons;
    struct osw_report_reason *totals; /* [n_totals], of all rows together */
    size_t n_totals;
    uint64_t n_missing; /* planned, and not recorded */
};

/* Read all results once.  Returns 0, or -1 with err set. */
int osw_report_summarize(const osw_file_t *file, struct osw_report_summary *out,
                         struct osw_error *err) OSW_MUST_CHECK;
void osw_report_summary_free(struct osw_report_summary *summary);

/* Geometric mean of the speedups of a row; NaN without any, and with several
 * baselines, which have no mean in common.
 */
double osw_report_geomean(const struct osw_report_row *row);

struct osw_history;

struct osw_report_options {
    unsigned width; /* of a line, for tables; 0: 100 */
    bool colour;    /* escape sequences may be used */
    bool all;       /* tables: every implementation has lines of its own */
    /* Several campaigns, judged, for formats with `history`; NULL: none. */
    const struct osw_history *history;
};

struct osw_report_format {
    const char *name;
    const char *summary;
    int (*write)(const osw_file_t *file,
                 const struct osw_report_options *options, FILE *out,
                 struct osw_error *err);
    /* Of a format that is a folder: its files, up to a NULL; names are those
     * of the files, and write is NULL.
     */
    const struct osw_report_format *const *files;
    bool history; /* it shows more campaigns beside the one */
};

/* By name, NULL when there is none; osw_report_at(i): NULL after the last. */
const struct osw_report_format *osw_report_find(const char *name);
const struct osw_report_format *osw_report_at(size_t i);

/* Write a report that is one file.  Returns 0, or -1 with err set: the file's
 * failure, or OSW_SYSTEM when `out` cannot be written.
 */
int osw_report_write(const struct osw_report_format *format,
                     const osw_file_t *file,
                     const struct osw_report_options *options, FILE *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* Which states make a report end with exit code 1. */
struct osw_report_fail_on {
    bool state[OSW_REPORT_N_STATES];
};

/* "fail,error", "value,nan", "none": groups (pass fail error not-judged infra)
 * and states.  Returns 0, or -1 with err set to OSW_BAD_INPUT.
 */
int osw_report_parse_fail_on(const char *list, struct osw_report_fail_on *out,
                             struct osw_error *err) OSW_MUST_CHECK;

/* What a finished report comes to:
 *   OSW_INCOMPLETE  cells are missing, or ended in group infra
 *   OSW_FAILED      a cell is in a state that fail_on names
 *   OSW_NOTHING     no cell was judged
 *   OSW_OK
 */
enum osw_status osw_report_outcome(const osw_file_t *file,
                                   const struct osw_report_summary *summary,
                                   const struct osw_report_fail_on *fail_on);

/* One column of one record as text, into out[size], 32 at least: ids as the
 * text they stand for (borrowed, not copied: the return value), cell_key as 0x
 * and 16 digits, floats as short as reads back the same, NaN as "".
 */
const char *osw_report_value(const osw_file_t *file,
                             const struct osw_record *record,
                             const struct osw_column *column, char *out,
                             size_t size);

/* The same as a member of a JSON object, named without "_id". */
void osw_report_json_value(struct osw_json_out *o, const osw_file_t *file,
                           const struct osw_record *record,
                           const struct osw_column *column);

/* The dictionary of a column *_id, or OSW_DICT_COUNT. */
enum osw_dict osw_report_dict(const struct osw_column *column);

/* The rows of the table of formats. */
extern const struct osw_report_format osw_report_table;
extern const struct osw_report_format osw_report_markdown;
extern const struct osw_report_format osw_report_csv;
extern const struct osw_report_format osw_report_json;
extern const struct osw_report_format osw_report_junit;
extern const struct osw_report_format osw_report_backendbench;
extern const struct osw_report_format osw_report_html;

#endif /* OSW_RESULTS_REPORT_H */
