/* results/report/report.c - what a result file says: adding up, and the formats
 */
#include "results/report/report.h"
#include "results/report/scores.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/decimal.h"
#include "results/report/report_kind.h"
#include "results/report/report_versus.h"

static const struct osw_report_format *const formats[] = {
    &osw_report_table, &osw_report_markdown, &osw_report_csv,
    &osw_report_json,  &osw_report_junit,    &osw_report_backendbench,
    &osw_report_html,
};

#define N_ELEM(a) (sizeof(a) / sizeof((a)[0]))

const struct osw_report_format *osw_report_at(size_t i)
{
    return i < N_ELEM(formats) ? formats[i] : NULL;
}

uint64_t osw_report_workers(const osw_file_t *file)
{
    uint64_t ranks = osw_file_info(file)->mpi_size;
    uint64_t merged = osw_file_rows(file, "/runs");
    uint64_t coordinators = merged ? merged : 1;

    return ranks > coordinators ? ranks - coordinators : 0;
}

const struct osw_report_format *osw_report_find(const char *name)
{
    for (size_t i = 0; i < N_ELEM(formats); i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* --- adding up --- */

/* What is being added up: rows are found by (op, impl). */
struct adding {
    const osw_file_t *file;
    struct osw_report_summary sum;
    size_t size_rows;
    uint32_t *slots;                   /* hash table of row + 1 */
    size_t n_slots;                    /* a power of 2 */
    struct osw_report_reason *reasons; /* one per cell, then merged */
    size_t n_reasons, size_reasons;
    struct osw_report_timings timings;
    uint32_t *kinds; /* [n_kinds] by reason */
    uint32_t n_kinds;
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to add up the results");
}

static size_t slot_of(const struct adding *a, uint32_t op, uint32_t impl)
{
    uint64_t h = ((uint64_t)op << 32 | impl) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 32) & (a->n_slots - 1);

    while (a->slots[i]) {
        const struct osw_report_row *r = &a->sum.rows[a->slots[i] - 1];

        if (r->op_id == op && r->impl_id == impl)
            break;
        i = (i + 1) & (a->n_slots - 1);
    }
    return i;
}

static int grow_rows(struct adding *a)
{
    size_t size = a->size_rows ? 2 * a->size_rows : 32;
    struct osw_report_row *rows =
        realloc(a->sum.rows, size * sizeof(*a->sum.rows));
    uint32_t *slots;

    if (!rows)
        return -1;
    a->sum.rows = rows;
    slots = calloc(2 * size, sizeof(*slots));
    if (!slots)
        return -1;
    free(a->slots);
    a->slots = slots;
    a->n_slots = 2 * size;
    a->size_rows = size;
    for (size_t i = 0; i < a->sum.n_rows; i++)
        slots[slot_of(a, rows[i].op_id, rows[i].impl_id)] = (uint32_t)i + 1;
    return 0;
}

static void start_row(struct osw_report_row *r, uint32_t op, uint32_t impl)
{
    memset(r, 0, sizeof(*r));
    r->op_id = op;
    r->impl_id = impl;
    r->max_rel_err = r->max_abs_err = r->max_of_allowed = NAN;
    r->light_median = NAN;
}

/* The row of an op and implementation; a new one if need be. */
static struct osw_report_row *find_row(struct adding *a, uint32_t op,
                                       uint32_t impl)
{
    size_t i;

    if (a->sum.n_rows == a->size_rows && grow_rows(a))
        return NULL;
    i = slot_of(a, op, impl);
    if (!a->slots[i]) {
        start_row(&a->sum.rows[a->sum.n_rows], op, impl);
        a->slots[i] = (uint32_t)++a->sum.n_rows;
    }
    return &a->sum.rows[a->slots[i] - 1];
}

static void raise_to(double *max, double v)
{
    if (!isnan(v) && !(v <= *max))
        *max = v;
}

static void add_cell(const osw_file_t *file, struct osw_report_row *row,
                     const struct osw_record *r)
{
    enum osw_state state = (enum osw_state)r->status_id;
    enum osw_report_speedup speedup = osw_report_speedup_of(file, r);

    row->n_cells++;
    row->n_state[r->status_id]++;
    row->n_group[osw_state_group(state)]++;
    row->n_suspect += r->suspect != 0;
    raise_to(&row->max_rel_err, r->max_rel_err);
    raise_to(&row->max_abs_err, r->max_abs_err);
    raise_to(&row->max_of_allowed, r->err_of_allowed);
    if (state != OSW_STATE_PASS)
        return;
    row->n_freivalds += r->check_id == OSW_CHECK_FREIVALDS;
    row->n_measured += r->t_median_ns > 0;
    row->n_own += speedup == OSW_REPORT_OWN;
    if (speedup != OSW_REPORT_COMPARED)
        return;
    row->n_timed++;
    row->n_faster += r->speedup_lo > 1; /* false for NaN */
    row->n_slower += r->speedup_hi < 1;
    row->log2_speedup += log2(r->speedup);
    row->sum_speedup += r->speedup;
    for (int i = 0; i < OSW_SCORES_N_P; i++)
        row->n_above[i] += r->speedup > osw_scores_p[i];
}

static int add_reason(struct adding *a, uint32_t row,
                      const struct osw_record *r)
{
    enum osw_state state = (enum osw_state)r->status_id;
    enum osw_state_group group = osw_state_group(state);

    if (group != OSW_GROUP_NOT_JUDGED && group != OSW_GROUP_INFRA)
        return 0;
    if (a->n_reasons == a->size_reasons) {
        size_t size = a->size_reasons ? 2 * a->size_reasons : 256;
        struct osw_report_reason *p = realloc(a->reasons, size * sizeof(*p));

        if (!p)
            return -1;
        a->reasons = p;
        a->size_reasons = size;
    }
    a->reasons[a->n_reasons++] = (struct osw_report_reason){
        .row = row,
        .kind_id = r->reason_id < a->n_kinds ? a->kinds[r->reason_id] : 0,
        .reason_id = r->reason_id,
        .state = state,
        .n = 1};
    return 0;
}

static int by_what(const void *x, const void *y)
{
    const struct osw_report_reason *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->state != b->state)
        return a->state < b->state ? -1 : 1;
    return a->kind_id < b->kind_id ? -1 : a->kind_id > b->kind_id;
}

static int by_number(const void *x, const void *y)
{
    const struct osw_report_reason *a = x, *b = y;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return by_what(x, y);
}

/* Merge equal ones; the most frequent of each row come first. */
static size_t merge_reasons(struct osw_report_reason *r, size_t n)
{
    size_t out = 0;

    if (n == 0)
        return 0;
    qsort(r, n, sizeof(*r), by_what);
    for (size_t i = 0; i < n; i++)
        if (out && by_what(&r[out - 1], &r[i]) == 0) {
            r[out - 1].n += r[i].n;
            r[out - 1].several |=
                r[i].several || r[i].reason_id != r[out - 1].reason_id;
        } else
            r[out++] = r[i];
    qsort(r, out, sizeof(*r), by_number);
    return out;
}

/* A row and where it was before sorting. */
struct order {
    const char *op, *impl;
    uint32_t was;
};

static int by_name(const void *x, const void *y)
{
    const struct order *a = x, *b = y;
    int c = strcmp(a->op, b->op);

    return c ? c : strcmp(a->impl, b->impl);
}

/* Sort rows by name and renumber them in the reasons. */
static int sort_rows(struct adding *a)
{
    size_t n = a->sum.n_rows;
    struct order *order = calloc(n + 1, sizeof(*order));
    struct osw_report_row *rows = calloc(n + 1, sizeof(*rows));
    uint32_t *now = calloc(n + 1, sizeof(*now));
    bool ok = order && rows && now;

    for (size_t i = 0; ok && i < n; i++)
        order[i] = (struct order){
            osw_file_text(a->file, OSW_DICT_OP, a->sum.rows[i].op_id),
            osw_file_text(a->file, OSW_DICT_IMPL, a->sum.rows[i].impl_id),
            (uint32_t)i};
    if (ok) {
        qsort(order, n, sizeof(*order), by_name);
        for (size_t i = 0; i < n; i++) {
            rows[i] = a->sum.rows[order[i].was];
            now[order[i].was] = (uint32_t)i;
        }
        for (size_t i = 0; i < a->n_reasons; i++)
            a->reasons[i].row = now[a->reasons[i].row];
        for (size_t i = 0; i < a->timings.n; i++)
            a->timings.list[i].row = now[a->timings.list[i].row];
        free(a->sum.rows);
        a->sum.rows = rows;
        rows = NULL;
    }
    free(order);
    free(rows);
    free(now);
    return ok ? 0 : -1;
}

/* The same reasons for all rows together. */
static int total_reasons(struct adding *a)
{
    struct osw_report_reason *t = calloc(a->n_reasons + 1, sizeof(*t));

    if (!t)
        return -1;
    for (size_t i = 0; i < a->n_reasons; i++) {
        t[i] = a->reasons[i];
        t[i].row = UINT32_MAX;
    }
    a->sum.totals = t;
    a->sum.n_totals = merge_reasons(t, a->n_reasons);
    return 0;
}

static int add_block(struct adding *a, const struct osw_record *records,
                     size_t n, struct osw_error *err)
{
    for (size_t i = 0; i < n; i++) {
        const struct osw_record *r = &records[i];
        struct osw_report_row *row = find_row(a, r->op_id, r->impl_id);

        uint32_t i_row = row ? (uint32_t)(row - a->sum.rows) : 0;

        if (!row || add_reason(a, i_row, r) ||
            osw_report_timings_add(&a->timings, a->file, i_row, r))
            return no_memory(err);
        add_cell(a->file, row, r);
        add_cell(a->file, &a->sum.total, r);
    }
    return 0;
}

static int add_all(struct adding *a, struct osw_record *records,
                   struct osw_error *err)
{
    uint64_t n = osw_file_info(a->file)->n_results;

    for (uint64_t at = 0; at < n; at += OSW_REPORT_BLOCK) {
        size_t k =
            n - at < OSW_REPORT_BLOCK ? (size_t)(n - at) : OSW_REPORT_BLOCK;

        if (osw_file_records(a->file, at, k, records, err) ||
            add_block(a, records, k, err))
            return -1;
    }
    if (sort_rows(a) || total_reasons(a) ||
        osw_report_timings_add_up(&a->timings, &a->sum))
        return no_memory(err);
    a->sum.reasons = a->reasons;
    a->sum.n_reasons = merge_reasons(a->reasons, a->n_reasons);
    a->reasons = NULL;
    return 0;
}

static int find_kinds(struct adding *a)
{
    uint32_t n = (uint32_t)osw_file_dict_count(a->file, OSW_DICT_REASON);
    const char **texts = calloc((size_t)n + 1, sizeof(*texts));
    int rc = -1;

    a->kinds = calloc((size_t)n + 1, sizeof(*a->kinds));
    if (texts && a->kinds) {
        for (uint32_t i = 0; i < n; i++)
            texts[i] = osw_file_text(a->file, OSW_DICT_REASON, i);
        a->n_kinds = n;
        rc = osw_report_kinds(texts, n, a->kinds);
    }
    free(texts);
    return rc;
}

int osw_report_summarize(const osw_file_t *file, struct osw_report_summary *out,
                         struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(file);
    struct adding a = {.file = file};
    struct osw_record *records = malloc(OSW_REPORT_BLOCK * sizeof(*records));
    int rc = -1;

    start_row(&a.sum.total, 0, 0);
    if (!records || find_kinds(&a))
        no_memory(err);
    else
        rc = add_all(&a, records, err);
    free(records);
    free(a.slots);
    free(a.kinds);
    free(a.reasons);
    osw_report_timings_free(&a.timings);
    if (rc) {
        osw_report_summary_free(&a.sum);
        return -1;
    }
    if (info->n_planned > info->n_results)
        a.sum.n_missing = info->n_planned - info->n_results;
    *out = a.sum;
    return 0;
}

void osw_report_summary_free(struct osw_report_summary *s)
{
    free(s->rows);
    free(s->reasons);
    free(s->totals);
    free(s->versus);
    free(s->headlines);
    memset(s, 0, sizeof(*s));
}

double osw_report_geomean(const struct osw_report_row *row)
{
    return row->n_timed && row->n_baselines == 1
               ? exp2(row->log2_speedup / (double)row->n_timed)
               : NAN;
}

/* --- writing --- */

int osw_report_write(const struct osw_report_format *format,
                     const osw_file_t *file,
                     const struct osw_report_options *options, FILE *out,
                     struct osw_error *err)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t old = c ? uselocale(c) : (locale_t)0;
    int rc = format->write(file, options, out, err);

    if (c) {
        uselocale(old);
        freelocale(c);
    }
    if (rc == 0 && (fflush(out) || ferror(out)))
        rc = osw_fail_sys(err, errno, "cannot write the report");
    return rc;
}

enum osw_dict osw_report_dict(const struct osw_column *column)
{
    size_t n = strlen(column->name);
    int d = 0;

    if (n < 3 || strcmp(column->name + n - 3, "_id") != 0)
        return OSW_DICT_COUNT;
    while (d < OSW_DICT_COUNT) {
        const char *name = osw_dict_name((enum osw_dict)d);

        if (strlen(name) == n - 3 && strncmp(name, column->name, n - 3) == 0)
            break;
        d++;
    }
    return (enum osw_dict)d;
}

static uint64_t unsigned_of(const void *p, size_t bytes)
{
    uint64_t v = 0;

    memcpy(&v, p, bytes);
    return v;
}

const char *osw_report_value(const osw_file_t *file,
                             const struct osw_record *record,
                             const struct osw_column *column, char *out,
                             size_t size)
{
    const void *p = (const char *)record + column->offset;
    enum osw_dict dict = osw_report_dict(column);
    size_t bytes = column->type == OSW_COLUMN_u8 ? 1 : 4;
    int32_t i32;
    int64_t i64;
    double f64;

    assert(size >= OSW_DECIMAL_MAX);
    switch (column->type) {
    case OSW_COLUMN_u8:
    case OSW_COLUMN_u32:
        if (dict != OSW_DICT_COUNT)
            return osw_file_text(file, dict, (uint32_t)unsigned_of(p, bytes));
        osw_decimal_u64(out, unsigned_of(p, bytes));
        break;
    case OSW_COLUMN_u64:
        if (strcmp(column->name, "cell_key") == 0)
            snprintf(out, size, "0x%016" PRIx64, unsigned_of(p, 8));
        else
            osw_decimal_u64(out, unsigned_of(p, 8));
        break;
    case OSW_COLUMN_i32:
        memcpy(&i32, p, sizeof(i32));
        osw_decimal_i64(out, i32);
        break;
    case OSW_COLUMN_i64:
        memcpy(&i64, p, sizeof(i64));
        osw_decimal_i64(out, i64);
        break;
    case OSW_COLUMN_f64:
        memcpy(&f64, p, sizeof(f64));
        if (isnan(f64))
            *out = '\0';
        else
            osw_decimal_shortest(out, f64);
        break;
    }
    return out;
}

/* --- the verdict on a file --- */

enum osw_status osw_report_outcome(const osw_file_t *file,
                                   const struct osw_report_summary *summary,
                                   uint32_t fail_on)
{
    const struct osw_report_row *t = &summary->total;

    if (!osw_file_info(file)->complete || summary->n_missing ||
        t->n_group[OSW_GROUP_INFRA])
        return OSW_INCOMPLETE;
    for (int i = 0; osw_state_at(i) != OSW_STATE_NONE; i++)
        if (fail_on >> osw_state_at(i) & 1 && t->n_state[osw_state_at(i)])
            return OSW_FAILED;
    if (t->n_group[OSW_GROUP_PASS] + t->n_group[OSW_GROUP_FAIL] +
            t->n_group[OSW_GROUP_ERROR] ==
        0)
        return OSW_NOTHING;
    return OSW_OK;
}
