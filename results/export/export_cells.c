/* results/export/export_cells.c - cells one by one, with what only some files
 * have */
#include "results/export/export_cells.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results/file/file_runs.h"
#include "results/report/report.h"

int osw_export_cells_open(struct osw_export_cells *c,
                          const struct osw_export *e, struct osw_error *err)
{
    *c = (struct osw_export_cells){.e = e,
                                   .n = osw_file_info(e->file)->n_results};
    c->columns = osw_record_columns(&c->n_columns);
    if (osw_report_rows_open(&c->rows, e->file, OSW_REPORT_BLOCK, err))
        return -1;
    if (osw_file_rows(e->file, "/runs") == 0)
        return 0;
    c->runs = calloc(c->n + 1, sizeof(*c->runs));
    if (!c->runs)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to export the cells");
    return osw_file_runs_of(e->file, SIZE_MAX, c->runs, err);
}

void osw_export_cells_close(struct osw_export_cells *c)
{
    osw_report_rows_close(&c->rows);
    free(c->runs);
    c->runs = NULL;
}

int osw_export_cells_at(struct osw_export_cells *c, uint64_t row,
                        const struct osw_record **record, const float **samples,
                        struct osw_error *err)
{
    const struct osw_record *r = osw_report_rows_at(&c->rows, row, err);

    if (!r)
        return -1;
    *samples = NULL;
    if (c->e->samples && r->sample_n &&
        !(*samples = osw_report_rows_samples(&c->rows, r, err)))
        return -1;
    *record = r;
    return 0;
}

const char *osw_export_cells_name(const struct osw_column *column)
{
    enum osw_dict dict = osw_report_dict(column);

    return dict == OSW_DICT_COUNT ? column->name : osw_dict_name(dict);
}

const char *osw_export_cells_text(struct osw_export_cells *c,
                                  const struct osw_column *column)
{
    static const char id[] = "index in ";
    const char *at = strstr(column->text, id);

    if (!at || osw_report_dict(column) == OSW_DICT_COUNT)
        return column->text;
    snprintf(c->text, sizeof(c->text), "%.*stext of %s",
             (int)(at - column->text), column->text, at + sizeof(id) - 1);
    return c->text;
}
