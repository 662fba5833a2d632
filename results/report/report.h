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
#include "results/report/report_summary.h"

enum {
    OSW_REPORT_BLOCK = 16384, /* rows read at a time */
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

/* What a finished report comes to:
 *   OSW_INCOMPLETE  cells are missing, or ended in group infra
 *   OSW_FAILED      a cell is in a state whose bit is set in fail_on
 *   OSW_NOTHING     no cell was judged
 *   OSW_OK
 */
enum osw_status osw_report_outcome(const osw_file_t *file,
                                   const struct osw_report_summary *summary,
                                   uint32_t fail_on);

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

/* Workers as the campaign began: its MPI ranks but the coordinator; of a merged
 * file those of all its runs.
 */
uint64_t osw_report_workers(const osw_file_t *file);

/* The rows of the table of formats. */
extern const struct osw_report_format osw_report_table;
extern const struct osw_report_format osw_report_markdown;
extern const struct osw_report_format osw_report_csv;
extern const struct osw_report_format osw_report_json;
extern const struct osw_report_format osw_report_junit;
extern const struct osw_report_format osw_report_backendbench;
extern const struct osw_report_format osw_report_html;

#endif /* OSW_RESULTS_REPORT_H */
