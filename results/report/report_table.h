/* results/report/report_table.h - the parts of the table for people
 *
 * Private to results/report_table*.c.
 */
#ifndef OSW_RESULTS_REPORT_TABLE_H
#define OSW_RESULTS_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "common/error.h"
#include "results/report/report.h"

/* What the lines are written with. */
struct osw_report_page {
    const osw_file_t *file;
    const struct osw_report_summary *sum;
    FILE *out;
    int width;
    bool colour;
};

enum osw_report_paint {
    OSW_REPORT_RED,
    OSW_REPORT_YELLOW,
    OSW_REPORT_BOLD,
    OSW_REPORT_PLAIN,
};

void osw_report_paint(const struct osw_report_page *p,
                      enum osw_report_paint paint);

/* Names of a row, "-" for none. */
const char *osw_report_op_name(const struct osw_report_page *p, uint32_t op_id);
const char *osw_report_impl_name(const struct osw_report_page *p,
                                 uint32_t impl_id);

/* " 12", in colour when it is not 0. */
void osw_report_put_count(const struct osw_report_page *p, uint64_t n,
                          int width, enum osw_report_paint paint);

/* "1.80x vs openblas" into out[size]. */
const char *osw_report_versus_text(const struct osw_report_page *p,
                                   const struct osw_report_versus *v, char *out,
                                   size_t size);

/* report_table_all.c: every implementation with its details. */
void osw_report_table_rows(const struct osw_report_page *p);
/* Bytes of a reason that hold for all cells that it stands for. */
int osw_report_reason_length(const struct osw_report_page *p,
                             const struct osw_report_reason *r);

/* report_table_cells.c: cells that failed, then cells that are slower than
 * their baseline.  Returns 0, or -1 with err set.
 */
int osw_report_table_cells(const struct osw_report_page *p,
                           struct osw_error *err) OSW_MUST_CHECK;

/* report_table_ranks.c: bandwidths of collective ops, if any was timed; some of
 * them unless `all`.  Returns 0, or -1 with err set.
 */
int osw_report_table_ranks(const struct osw_report_page *p, bool all,
                           struct osw_error *err) OSW_MUST_CHECK;

/* report_table_ops.c: one line per op. */
void osw_report_table_ops(const struct osw_report_page *p);

#endif /* OSW_RESULTS_REPORT_TABLE_H */
