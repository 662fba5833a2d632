/* results/export/export.h - all cells with all columns, for other programs
 *
 * Columns *_id become texts, named without "_id"; a merged file has `run`, the
 * row of /runs.  With samples there is a column `samples`, nanoseconds.
 *   csv      RFC 4180; NaN is an empty field, samples stand with blanks
 *            between; every number reads back to the bit
 *   json     {"format": "opsweep.cells", "version": 1, "columns", "cells"};
 *            NaN and infinities are null, cell keys are strings
 *   parquet  by Python's pyarrow, as a stream: types as in the file
 * Memory is bounded by blocks of rows, beside the dictionaries.
 *
 * Upstream: `opsweep export`.
 */
#ifndef OSW_RESULTS_EXPORT_H
#define OSW_RESULTS_EXPORT_H

#include <stdio.h>

#include "common/error.h"
#include "results/export/export_cells.h"

/* Returns 0, or -1 with err set: what reading gives, or OSW_SYSTEM when `out`
 * cannot be written.
 */
int osw_export_csv(const struct osw_export *e, FILE *out,
                   struct osw_error *err) OSW_MUST_CHECK;
int osw_export_json(const struct osw_export *e, FILE *out,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Write the file `path` by the interpreter `python`.  Returns 0, or -1 with err
 * set: OSW_SYSTEM when it cannot be started, has no pyarrow or fails; `path`
 * may be there in part.
 */
int osw_export_parquet(const struct osw_export *e, const char *python,
                       const char *path, struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_EXPORT_H */
