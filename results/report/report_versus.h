/* results/report/report_versus.h - speedups by baseline, and shares of the
 * roofline
 *
 * A speedup is counted when its cell passed and was timed beside a baseline
 * that is another implementation.  Speedups against different baselines, or on
 * different models of device, are never averaged.  The reference is an oracle
 * and no baseline: files of older versions have speedups against it, which are
 * shown and not counted.
 *
 * Upstream: report.c.  Private to results/report*.c and scores.c.
 */
#ifndef OSW_RESULTS_REPORT_VERSUS_H
#define OSW_RESULTS_REPORT_VERSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ops/record/record.h"
#include "results/file/file.h"
#include "results/report/report_summary.h"

enum osw_report_speedup {
    OSW_REPORT_NO_SPEEDUP,
    OSW_REPORT_COMPARED,
    OSW_REPORT_OWN,    /* the cell is one of the baseline itself */
    OSW_REPORT_ORACLE, /* against the reference */
};

/* What the speedup of a record is, record->baseline being its text. */
enum osw_report_speedup osw_report_speedup_of(const osw_file_t *file,
                                              const struct osw_record *record);
bool osw_report_is_oracle(const char *baseline);

/* Share of the speed of light that a passed cell reached; NaN: unknown. */
double osw_report_light_of(const struct osw_record *record);

/* What is needed of each cell until all are read. */
struct osw_report_timing {
    uint32_t row, baseline_id, device_id;
    uint8_t speedup; /* enum osw_report_speedup */
    bool failed;     /* fail or error */
    bool faster, slower;
    double value, light;
};

struct osw_report_timings {
    struct osw_report_timing *list;
    size_t n, size;
};

/* Returns 0, or -1 without memory. */
int osw_report_timings_add(struct osw_report_timings *t, const osw_file_t *file,
                           uint32_t row, const struct osw_record *record);
void osw_report_timings_free(struct osw_report_timings *t);

/* Fill versus, headlines and medians of a summary whose rows are sorted; the
 * timings have the numbers of these rows.  Returns 0, or -1 without memory.
 */
int osw_report_timings_add_up(struct osw_report_timings *t,
                              struct osw_report_summary *summary);

/* The name of a baseline; "?" for a file that has none. */
const char *osw_report_baseline(const osw_file_t *file, uint32_t baseline_id);

/* "vs openblas", "vs openblas on NVIDIA H200" or "vs reference (an oracle, no
 * baseline)"; device_id: as in struct osw_report_versus.
 */
const char *osw_report_versus_name(const osw_file_t *file, uint32_t baseline_id,
                                   uint32_t device_id, char *out, size_t size);

/* The model under which cells of a device are added up. */
uint32_t osw_report_model(const struct osw_report_summary *summary,
                          uint32_t device_id);

/* Geometric mean of one entry; NaN when it has no cell. */
double osw_report_versus_geomean(const struct osw_report_versus *v);

/* The entries of a row that have cells: the first, or the one after `v`; NULL
 * after the last.
 */
const struct osw_report_versus *
osw_report_versus_next(const struct osw_report_summary *summary, size_t row,
                       const struct osw_report_versus *v);

#endif /* OSW_RESULTS_REPORT_VERSUS_H */
