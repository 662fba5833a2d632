/* results/export/export_cells.h - cells one by one, with what only some files
 * have
 *
 * Upstream: export.h.
 */
#ifndef OSW_RESULTS_EXPORT_CELLS_H
#define OSW_RESULTS_EXPORT_CELLS_H

#include <stdbool.h>

#include "results/file/file.h"
#include "results/report/report_rows.h"

struct osw_export {
    const osw_file_t *file;
    bool samples;
};

struct osw_export_cells {
    const struct osw_export *e;
    const struct osw_column *columns;
    size_t n_columns;
    uint64_t n;     /* cells */
    uint32_t *runs; /* [n] of a merged file, else NULL */
    struct osw_report_rows rows;
    char text[128]; /* meaning of a column */
};

/* Returns 0, or -1 with err set; close it in any case. */
int osw_export_cells_open(struct osw_export_cells *c,
                          const struct osw_export *e,
                          struct osw_error *err) OSW_MUST_CHECK;
void osw_export_cells_close(struct osw_export_cells *c);

/* A cell and its samples (NULL when they are not wanted), both borrowed until
 * the next.  Returns 0, or -1 with err set.
 */
int osw_export_cells_at(struct osw_export_cells *c, uint64_t row,
                        const struct osw_record **record, const float **samples,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Its name there: of a column *_id, that of its dictionary. */
const char *osw_export_cells_name(const struct osw_column *column);

/* Its meaning there, borrowed until the next: ids are replaced by their texts.
 */
const char *osw_export_cells_text(struct osw_export_cells *c,
                                  const struct osw_column *column);

#endif /* OSW_RESULTS_EXPORT_CELLS_H */
