/* results/report/report_rows.c - records one at a time, and grouped by operator
 */
#include "results/report/report_rows.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES_CHUNK = 65536, SAMPLES_BLOCK = 2 * SAMPLES_CHUNK };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the report");
}

int osw_report_rows_open(struct osw_report_rows *rows, const osw_file_t *file,
                         size_t size, struct osw_error *err)
{
    struct osw_record *block = malloc(size * sizeof(*block));

    if (!block)
        return no_memory(err);
    *rows =
        (struct osw_report_rows){.file = file, .block = block, .size = size};
    return 0;
}

void osw_report_rows_close(struct osw_report_rows *rows)
{
    free(rows->block);
    free(rows->samples);
    memset(rows, 0, sizeof(*rows));
}

const struct osw_record *osw_report_rows_at(struct osw_report_rows *rows,
                                            uint64_t row, struct osw_error *err)
{
    uint64_t all = osw_file_info(rows->file)->n_results;

    if (row < rows->first || row - rows->first >= rows->n) {
        uint64_t first = row - row % rows->size;
        uint64_t n = first < all ? all - first : 0;

        rows->n = 0;
        if (n > rows->size)
            n = rows->size;
        if (osw_file_records(rows->file, first, (size_t)n, rows->block, err))
            return NULL;
        rows->first = first;
        rows->n = (size_t)n;
    }
    return &rows->block[row - rows->first];
}

const float *osw_report_rows_samples(struct osw_report_rows *rows,
                                     const struct osw_record *r,
                                     struct osw_error *err)
{
    uint64_t all = osw_file_info(rows->file)->n_samples;
    uint64_t first = r->sample_off;

    if (!rows->samples) {
        rows->samples = malloc(SAMPLES_BLOCK * sizeof(*rows->samples));
        if (!rows->samples) {
            no_memory(err);
            return NULL;
        }
    }
    if (r->sample_n > SAMPLES_CHUNK || first > all ||
        r->sample_n > all - first) {
        osw_fail(err, OSW_BAD_INPUT,
                 "'%s' is damaged: a row has samples that are not there",
                 osw_file_info(rows->file)->path);
        return NULL;
    }
    if (first < rows->samples_first ||
        first + r->sample_n > rows->samples_first + rows->n_samples) {
        uint64_t from = first - first % SAMPLES_CHUNK;
        size_t n =
            all - from < SAMPLES_BLOCK ? (size_t)(all - from) : SAMPLES_BLOCK;

        rows->n_samples = 0;
        if (osw_file_samples(rows->file, from, n, rows->samples, err))
            return NULL;
        rows->samples_first = from;
        rows->n_samples = n;
    }
    return rows->samples + (first - rows->samples_first);
}

/* --- by operator --- */

struct group {
    uint64_t id; /* op, implementation */
    uint64_t at; /* where its next row goes */
};

static uint64_t id_of(uint32_t op, uint32_t impl)
{
    return (uint64_t)op << 32 | impl;
}

static int by_id(const void *x, const void *y)
{
    const struct group *a = x, *b = y;

    return (a->id > b->id) - (a->id < b->id);
}

static void place(struct group *ops, size_t n_ops, const uint32_t *op,
                  const uint32_t *impl, uint64_t n, uint32_t *order)
{
    struct group *last = NULL;

    for (uint64_t row = 0; row < n; row++) {
        struct group key = {.id = id_of(op[row], impl[row])};

        if (!last || last->id != key.id)
            last = bsearch(&key, ops, n_ops, sizeof(*ops), by_id);
        order[last->at++] = (uint32_t)row;
    }
}

uint32_t *osw_report_rows_by_op(const osw_file_t *file,
                                const struct osw_report_summary *s,
                                struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results, at = 0;
    uint32_t *op = calloc(n + 1, sizeof(*op));
    uint32_t *impl = calloc(n + 1, sizeof(*impl));
    uint32_t *order = calloc(n + 1, sizeof(*order));
    struct group *ops = calloc(s->n_rows + 1, sizeof(*ops));
    int rc = -1;

    if (!op || !impl || !order || !ops) {
        no_memory(err);
        goto out;
    }
    for (size_t i = 0; i < s->n_rows; i++) {
        ops[i].id = id_of(s->rows[i].op_id, s->rows[i].impl_id);
        ops[i].at = at;
        at += s->rows[i].n_cells;
    }
    qsort(ops, s->n_rows, sizeof(*ops), by_id);
    if (osw_file_column(file, "op_id", OSW_COLUMN_u32, op, err) ||
        osw_file_column(file, "impl_id", OSW_COLUMN_u32, impl, err))
        goto out;
    place(ops, s->n_rows, op, impl, n, order);
    rc = 0;
out:
    free(op);
    free(impl);
    free(ops);
    if (rc) {
        free(order);
        return NULL;
    }
    return order;
}
