/* results/report/report_cell.h - one cell on one screen
 *
 * Upstream: `opsweep show`.  Downstream: results/file/file.h.
 */
#ifndef OSW_RESULTS_REPORT_CELL_H
#define OSW_RESULTS_REPORT_CELL_H

#include <stdint.h>
#include <stdio.h>

#include "results/file/file.h"

/* Verdict, why, times, speedup with its baseline, share of the speed of light,
 * error of what is allowed, where it ran.  Lines of at most `width` columns;
 * only what is known is there.
 */
void osw_report_cell(const osw_file_t *file, uint64_t row,
                     const struct osw_record *record, int width, FILE *out);

#endif /* OSW_RESULTS_REPORT_CELL_H */
