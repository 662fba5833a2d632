/* results/export/merge.c - several result files into one */
#include "results/export/merge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ops/record/state.h"
#include "results/export/merge_parts.h"
#include "results/file/seal.h"
#include "results/report/report.h"

enum { BLOCK_ROWS = 16 * OSW_REPORT_BLOCK };

/* --- runs --- */

/* /runs, and /generation where kernels were generated. */
static void put_tables(void *arg, osw_store_t *s)
{
    const struct osw_merging *m = arg;
    const char **texts = calloc(m->n_runs + 1, sizeof(*texts));
    uint64_t *values = calloc(m->n_runs + 1, sizeof(*values));

    if (!texts || !values)
        osw_store_no_memory(s);
    osw_store_table(s, "/runs", m->n_runs);
#define X(member, words)                                                       \
    for (size_t i = 0; texts && i < m->n_runs; i++)                            \
        texts[i] = m->runs[i].member;                                          \
    osw_store_texts(s, "/runs", #member, words, texts, m->n_runs);
    OSW_FILE_RUN_TEXTS(X)
#undef X
#define X(member, ctype, wire, words)                                          \
    for (size_t i = 0; values && i < m->n_runs; i++)                           \
        memcpy((char *)values + i * sizeof(ctype), &m->runs[i].member,         \
               sizeof(ctype));                                                 \
    osw_store_values(s, "/runs",                                               \
                     &(struct osw_store_column){                               \
                         .name = #member,                                      \
                         .type = osw_seal_store_type(OSW_COLUMN_##wire),       \
                         .units = "1",                                         \
                         .text = words},                                       \
                     m->n_runs, values);
    OSW_FILE_RUN_NUMBERS(X)
#undef X
    if (m->generation.n_ops > 0)
        osw_generation_put(&m->generation, s);
    free(texts);
    free(values);
}

/* --- results --- */

static void find_dicts(struct osw_merging *m)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    for (size_t c = 0; c < n && c < OSW_MERGE_MAX_COLUMNS; c++)
        m->dict_of[c] = columns[c].type == OSW_COLUMN_u32
                            ? osw_report_dict(&columns[c])
                            : OSW_DICT_COUNT;
}

static int read_row(void *arg, size_t i, float *samples, struct osw_record *out,
                    struct osw_error *err)
{
    struct osw_merging *m = arg;
    const struct osw_merge_row *row = &m->rows[i];
    struct osw_merge_input *in = &m->inputs[row->file];
    const struct osw_record *r = osw_report_rows_at(&in->rows, row->row, err);
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    if (!r)
        return -1;
    if (r->sample_n != row->sample_n)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' changed while it was read",
                        osw_merge_path_of(in));
    if (r->sample_n) {
        const float *from = osw_report_rows_samples(&in->rows, r, err);

        if (!from)
            return -1;
        memcpy(samples, from, r->sample_n * sizeof(*samples));
    }
    *out = *r;
    out->cell = m->out.rows[i].cell;
    if (out->rank >= 0)
        out->rank += in->rank_first;
    for (size_t c = 0; c < n; c++) {
        uint32_t *id = (uint32_t *)(void *)((char *)out + columns[c].offset);

        if (m->dict_of[c] != OSW_DICT_COUNT &&
            osw_merge_map_id(in, m->dict_of[c], id, err))
            return -1;
    }
    return 0;
}

static int list_rows(struct osw_merging *m, struct osw_error *err)
{
    size_t n = m->decided.n_kept;

    m->out.rows = calloc(n + 1, sizeof(*m->out.rows));
    m->run_of = calloc(n + 1, sizeof(*m->run_of));
    if (!m->out.rows || !m->run_of)
        return osw_merge_no_memory(err);
    m->out.n_rows = n;
    for (size_t i = 0; i < n; i++) {
        const struct osw_merge_row *r = &m->rows[i];
        const struct osw_merge_input *in = &m->inputs[r->file];

        m->run_of[i] = (uint32_t)(in->first_run + in->run_of[r->row]);
        m->runs[m->run_of[i]].n_kept++;
        m->out.rows[i].cell =
            (uint32_t)(m->n_plans == 1 ? r->cell : (uint64_t)i);
        m->out.rows[i].status = r->status;
        m->out.rows[i].sample_n = r->sample_n & OSW_REPLAY_MAX_SAMPLES;
        m->out.n_samples += r->sample_n;
        if (r->cell > OSW_REPLAY_MAX_CELL)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is damaged: cell %" PRIu64
                            ", expected fewer than %" PRIu64,
                            osw_merge_path_of(in), r->cell,
                            (uint64_t)OSW_REPLAY_MAX_CELL + 1);
        if (i && m->out.rows[i].cell <= m->out.rows[i - 1].cell)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is damaged: cell %" PRIu64
                            " of the plan is another one than elsewhere",
                            osw_merge_path_of(in), r->cell);
    }
    return 0;
}

static int open_rows(struct osw_merging *m, struct osw_error *err)
{
    size_t block = BLOCK_ROWS / m->n;

    if (block > OSW_REPORT_BLOCK)
        block = OSW_REPORT_BLOCK;
    for (size_t i = 0; i < m->n; i++)
        if (osw_report_rows_open(&m->inputs[i].rows, m->inputs[i].file, block,
                                 err))
            return -1;
    return 0;
}

/* --- the whole --- */

static int make_room(struct osw_merging *m, struct osw_error *err)
{
    uint64_t n = 0;

    for (size_t i = 0; i < m->n; i++)
        n += osw_file_info(m->inputs[i].file)->n_results;
    if (n > OSW_FILE_MAX_ROWS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "%" PRIu64 " results in all, at most %d", n,
                        OSW_FILE_MAX_ROWS);
    m->rows = calloc(n + 1, sizeof(*m->rows));
    m->plans = calloc(m->n, sizeof(*m->plans));
    m->n_planned = calloc(m->n, sizeof(*m->n_planned));
    m->n_recorded = calloc(m->n, sizeof(*m->n_recorded));
    m->out.dicts = osw_dicts_create();
    if (!m->rows || !m->plans || !m->n_planned || !m->n_recorded ||
        !m->out.dicts)
        return osw_merge_no_memory(err);
    return 0;
}

/* Which two results of a cell do not go together. */
static int tell_conflict(const struct osw_merging *m, struct osw_error *err)
{
    const struct osw_merge_row *a = &m->decided.conflict[0];
    const struct osw_merge_row *b = &m->decided.conflict[1];
    const char *more = m->decided.n_conflicts > 1 ? "s differ" : " differs";
    const osw_file_t *file = m->inputs[a->file].file;
    struct osw_record r;

    if (osw_file_records(file, a->row, 1, &r, err))
        return -1;
    return osw_fail(
        err, OSW_BAD_INPUT,
        "cell 0x%016" PRIx64
        " (%s/%s) is '%s' on '%s' in '%s' and '%s' on '%s' in "
        "'%s'; %" PRIu64 " cell%s: --keep=first or --keep=last decides",
        a->key, osw_file_text(file, OSW_DICT_OP, r.op_id),
        osw_file_text(file, OSW_DICT_IMPL, r.impl_id),
        osw_state_name((enum osw_state)a->status),
        osw_dicts_text(m->out.dicts, OSW_DICT_DEVICE, a->device),
        osw_merge_path_of(&m->inputs[a->file]),
        osw_state_name((enum osw_state)b->status),
        osw_dicts_text(m->out.dicts, OSW_DICT_DEVICE, b->device),
        osw_merge_path_of(&m->inputs[b->file]), m->decided.n_conflicts, more);
}

static int decide(struct osw_merging *m, enum osw_merge_keep keep,
                  struct osw_error *err)
{
    uint64_t missing = 0;

    osw_merge_decide(m->rows, m->n_rows, keep, m->n_plans == 1, m->plans,
                     m->n_recorded, &m->decided);
    if (m->decided.n_conflicts && keep == OSW_MERGE_AGREEING)
        return tell_conflict(m, err);
    for (size_t i = 0; i < m->n_plans; i++)
        if (m->n_planned[i] > m->n_recorded[i])
            missing += m->n_planned[i] - m->n_recorded[i];
    m->out.n_planned = m->decided.n_kept + missing;
    m->out.complete = missing == 0;
    return 0;
}

static int merge(struct osw_merging *m, enum osw_merge_keep keep,
                 const char *path, struct osw_error *err)
{
    const struct osw_seal_source source = {
        .arg = m, .read = read_row, .put_tables = put_tables};
    struct osw_seal_source from = source;

    if (make_room(m, err))
        return -1;
    for (size_t i = 0; i < m->n; i++)
        if (osw_merge_open_input(m, i, err))
            return -1;
    if (osw_merge_check_shards(m, err) || decide(m, keep, err) ||
        osw_merge_collect_runs(m, err))
        return -1;
    for (size_t i = 0; i < m->n; i++)
        if (osw_merge_tables(m, &m->inputs[i], err))
            return -1;
    find_dicts(m);
    if (osw_merge_describe(m, err) || list_rows(m, err) || open_rows(m, err))
        return -1;
    from.runs = m->run_of;
    return osw_seal_from(&m->out, &from, path, err);
}

static void clean_up(struct osw_merging *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->inputs[i].runs);
        osw_report_rows_close(&m->inputs[i].rows);
    }
    free(m->inputs);
    free(m->rows);
    free(m->plans);
    free(m->n_planned);
    free(m->n_recorded);
    free(m->run_of);
    free(m->out.rows);
    free(m->out.devices);
    free(m->out.ranks);
    free(m->out.events);
    free(m->out.sources);
    osw_generation_free(&m->generation);
    osw_dicts_destroy(m->out.dicts);
    osw_arena_destroy(m->arena);
}

int osw_merge(osw_file_t *const *files, size_t n, enum osw_merge_keep keep,
              const char *path, struct osw_merged *out, struct osw_error *err)
{
    struct osw_merging m = {.inputs = calloc(n, sizeof(*m.inputs)),
                            .n = n,
                            .arena = osw_arena_create(),
                            .out = {.dir = (char *)(uintptr_t) "a file"}};
    int rc;

    if (!m.inputs || !m.arena) {
        m.n = 0;
        rc = osw_merge_no_memory(err);
    } else {
        for (size_t i = 0; i < n; i++)
            m.inputs[i].file = files[i];
        rc = merge(&m, keep, path, err);
    }
    if (rc == 0)
        *out = (struct osw_merged){.n_files = n,
                                   .n_rows = m.out.n_rows,
                                   .n_dropped = m.n_rows - m.out.n_rows,
                                   .n_conflicts = m.decided.n_conflicts,
                                   .n_missing = m.out.n_planned - m.out.n_rows};
    if (rc == 0 && m.shard) {
        out->n_shards = m.shard->n;
        rc = osw_merge_missing_shards(&m, &out->n_missing_shards,
                                      out->missing_shards,
                                      sizeof(out->missing_shards), err);
    }
    clean_up(&m);
    return rc;
}
