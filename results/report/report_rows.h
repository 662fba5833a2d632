/* results/report/report_rows.h - records one at a time, and grouped by operator
 *
 * Records are read in blocks; one that lies near the one before costs nothing.
 *
 * Downstream: report_junit.c, report_backendbench.c, merging, exporting.
 */
#ifndef OSW_RESULTS_REPORT_ROWS_H
#define OSW_RESULTS_REPORT_ROWS_H

#include "common/error.h"
#include "results/file/file.h"
#include "results/report/report.h"

struct osw_report_rows {
    const osw_file_t *file;
    struct osw_record *block; /* [size], owned */
    size_t size;
    uint64_t first;
    size_t n; /* records in block */
    float *samples;
    uint64_t samples_first;
    size_t n_samples;
};

/* Read `size` records at a time; OSW_REPORT_BLOCK is fastest.  Returns 0, or -1
 * with err set.
 */
int osw_report_rows_open(struct osw_report_rows *rows, const osw_file_t *file,
                         size_t size, struct osw_error *err) OSW_MUST_CHECK;
void osw_report_rows_close(struct osw_report_rows *rows);

/* The record of a row, borrowed until the next call; NULL with err set. */
const struct osw_record *
osw_report_rows_at(struct osw_report_rows *rows, uint64_t row,
                   struct osw_error *err) OSW_MUST_CHECK;

/* The samples of a record, [sample_n], borrowed until the next call; NULL with
 * err set.
 */
const float *osw_report_rows_samples(struct osw_report_rows *rows,
                                     const struct osw_record *record,
                                     struct osw_error *err) OSW_MUST_CHECK;

/* Numbers of all rows, by op, then implementation, then row: those of
 * summary->rows[i] are n_cells in a row.  [n_results], the caller's to free;
 * NULL with err set.
 */
uint32_t *osw_report_rows_by_op(const osw_file_t *file,
                                const struct osw_report_summary *summary,
                                struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_REPORT_ROWS_H */
