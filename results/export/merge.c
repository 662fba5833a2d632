/* results/export/merge.c - several result files into one */
#include "results/export/merge.h"

#include <sha256.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/arena.h"
#include "ops/record/state.h"
#include "results/export/merge_plan.h"
#include "results/file/file_runs.h"
#include "results/file/file_sources.h"
#include "results/file/seal.h"
#include "results/report/report.h"
#include "results/report/report_rows.h"

enum { MAX_COLUMNS = 128, BLOCK_ROWS = 16 * OSW_REPORT_BLOCK };

struct input {
    osw_file_t *file;
    uint32_t *map[OSW_DICT_COUNT]; /* [n_map] id in the file to merged id */
    uint32_t n_map[OSW_DICT_COUNT];
    struct osw_file_run *runs; /* [n_runs], owned; texts are the file's */
    size_t n_runs;
    size_t first_run; /* of it in the merged /runs */
    int32_t rank_first;
    uint32_t *run_of; /* [n_results] */
    const char *plan_sha256;
    struct osw_report_rows rows;
};

struct merging {
    struct input *inputs; /* [n] */
    size_t n;
    osw_arena_t *arena;
    struct osw_merge_row *rows; /* [n_rows]; then the kept ones in front */
    size_t n_rows;
    size_t *plans;        /* [n] files of one plan have the same number */
    uint64_t *n_planned;  /* [n] by plan */
    uint64_t *n_recorded; /* [n] by plan */
    size_t n_plans;
    struct osw_merge_plan decided;
    struct osw_replay out;
    struct osw_file_run *runs; /* [n_runs] all of them */
    size_t n_runs;
    uint32_t *run_of; /* [n_kept] */
    enum osw_dict dict_of[MAX_COLUMNS];
};

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to merge the files");
}

static const char *path_of(const struct input *in)
{
    return osw_file_info(in->file)->path;
}

/* --- dictionaries --- */

static int map_dict(struct merging *m, struct input *in, enum osw_dict d,
                    struct osw_error *err)
{
    uint32_t n = osw_file_dict_count(in->file, d);
    bool is_new;

    in->map[d] = osw_arena_array(m->arena, (size_t)n + 1, sizeof(uint32_t));
    if (!in->map[d])
        return no_memory(err);
    in->n_map[d] = n;
    for (uint32_t i = 0; i < n; i++) {
        if (osw_dicts_intern(m->out.dicts, d, osw_file_text(in->file, d, i),
                             &in->map[d][i], &is_new, err))
            return osw_error_in(err, "'%s'", path_of(in));
        if (osw_dict_fixed(d) && in->map[d][i] != i)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s': dictionary '%s' has another order",
                            path_of(in), osw_dict_name(d));
    }
    return 0;
}

/* An id of the file as one of the merged file. */
static int map_id(const struct input *in, enum osw_dict d, uint32_t *id,
                  struct osw_error *err)
{
    if (in->n_map[d] == 0 && *id == 0)
        return 0; /* the file is older than the dictionary */
    if (*id >= in->n_map[d])
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: entry %" PRIu32
                        " of dictionary '%s' is not there",
                        path_of(in), *id, osw_dict_name(d));
    *id = in->map[d][*id];
    return 0;
}

/* --- reading what all files say --- */

static int check_version(const struct input *in, struct osw_error *err)
{
    const int32_t *v = osw_file_info(in->file)->version;

    if (v[1] > OSW_SEAL_SCHEMA_MINOR)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has schema version %d.%d, this program knows "
                        "%d.%d: it would lose what is newer",
                        path_of(in), v[0], v[1], OSW_SEAL_SCHEMA_MAJOR,
                        OSW_SEAL_SCHEMA_MINOR);
    return 0;
}

/* One column of all rows of a file, into the member at `offset`. */
static int read_member(const struct input *in, const char *name,
                       enum osw_column_type type, size_t bytes, void *values,
                       struct osw_merge_row *rows, size_t offset,
                       struct osw_error *err)
{
    uint64_t n = osw_file_info(in->file)->n_results;

    if (osw_file_column(in->file, name, type, values, err))
        return -1;
    for (uint64_t i = 0; i < n; i++)
        memcpy((char *)&rows[i] + offset, (const char *)values + i * bytes,
               bytes);
    return 0;
}

static int read_rows(struct input *in, uint32_t number,
                     struct osw_merge_row *rows, struct osw_error *err)
{
    uint64_t n = osw_file_info(in->file)->n_results;
    void *values = malloc((n + 1) * sizeof(uint64_t));
    int rc = -1;

#define READ(name, type, member)                                               \
    read_member(in, name, OSW_COLUMN_##type, sizeof(rows->member), values,     \
                rows, offsetof(struct osw_merge_row, member), err)
    if (!values)
        return no_memory(err);
    if (READ("cell_key", u64, key) == 0 && READ("cell", u64, cell) == 0 &&
        READ("device_id", u32, device) == 0 &&
        READ("sample_n", u32, sample_n) == 0 &&
        READ("status_id", u8, status) == 0)
        rc = 0;
#undef READ
    free(values);
    for (uint64_t i = 0; i < n && rc == 0; i++) {
        rows[i].file = number;
        rows[i].row = (uint32_t)i;
        rc = map_id(in, OSW_DICT_DEVICE, &rows[i].device, err);
        if (rows[i].sample_n > OSW_RECORD_MAX_SAMPLES)
            rc = osw_fail(err, OSW_BAD_INPUT,
                          "'%s' is damaged: row %" PRIu64 " has %" PRIu32
                          " samples",
                          path_of(in), i, rows[i].sample_n);
    }
    return rc;
}

/* Files of one plan get the same number; an unknown plan is like no other. */
static void find_plan(struct merging *m, size_t i)
{
    const char *sha = m->inputs[i].plan_sha256;
    bool known = strspn(sha, "0") != strlen(sha);
    size_t k = 0;

    while (k < i && !(known && strcmp(m->inputs[k].plan_sha256, sha) == 0))
        k++;
    if (k < i) {
        m->plans[i] = m->plans[k];
        return;
    }
    m->plans[i] = m->n_plans;
    m->n_planned[m->n_plans++] = osw_file_info(m->inputs[i].file)->n_planned;
}

static int open_input(struct merging *m, size_t i, struct osw_error *err)
{
    struct input *in = &m->inputs[i];
    uint64_t n = osw_file_info(in->file)->n_results;

    in->rank_first = 0;
    for (size_t k = 0; k < i; k++)
        in->rank_first += (int32_t)osw_file_info(m->inputs[k].file)->mpi_size;
    if (check_version(in, err))
        return -1;
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        if (map_dict(m, in, (enum osw_dict)d, err))
            return -1;
    in->runs = osw_file_runs(in->file, &in->n_runs, err);
    in->run_of = osw_arena_array(m->arena, n + 1, sizeof(*in->run_of));
    if (!in->runs || !in->run_of)
        return no_memory(err);
    in->first_run = m->n_runs;
    m->n_runs += in->n_runs;
    if (osw_file_runs_of(in->file, in->n_runs, in->run_of, err) ||
        osw_file_attribute(in->file, "/provenance", "plan_sha256",
                           &in->plan_sha256, err) ||
        read_rows(in, (uint32_t)i, m->rows + m->n_rows, err))
        return -1;
    m->n_rows += n;
    find_plan(m, i);
    return 0;
}

/* --- tables beside the results --- */

static int add_devices(struct merging *m, const struct input *in,
                       struct osw_error *err)
{
    size_t n;
    const struct osw_file_device *rows = osw_file_devices(in->file, &n);
    struct osw_replay_device *list =
        realloc(m->out.devices, (m->out.n_devices + n + 1) * sizeof(*list));

    if (!list)
        return no_memory(err);
    m->out.devices = list;
    for (size_t i = 0; i < n; i++) {
        struct osw_replay_device *d = &list[m->out.n_devices];

        *d = (struct osw_replay_device){.rank = rows[i].rank + in->rank_first,
                                        .host_id = rows[i].host_id,
                                        .device_id = rows[i].device_id,
                                        .info = rows[i].info};
        if (map_id(in, OSW_DICT_HOST, &d->host_id, err) ||
            map_id(in, OSW_DICT_DEVICE, &d->device_id, err))
            return -1;
        m->out.n_devices++;
    }
    return 0;
}

/* A column of a table into the members of an array of structs. */
static int fill(const struct input *in, const char *path,
                enum osw_column_type type, size_t bytes, size_t n, void *array,
                size_t stride, struct osw_error *err)
{
    char *values = malloc(n * bytes + 1);
    int rc = values ? osw_file_values(in->file, path, type, n, values, err)
                    : no_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++)
        memcpy((char *)array + i * stride, values + i * bytes, bytes);
    free(values);
    return rc;
}

#define FILL(path, type, member)                                               \
    fill(in, path, OSW_COLUMN_##type, sizeof(member), n, &(member),            \
         sizeof(*at), err)

static int add_ranks(struct merging *m, const struct input *in,
                     struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/ranks");
    struct osw_rank_summary *list =
        realloc(m->out.ranks, (m->out.n_ranks + n + 1) * sizeof(*list));
    struct osw_rank_summary *at;

    if (!list)
        return no_memory(err);
    m->out.ranks = list;
    at = list + m->out.n_ranks;
    memset(at, 0, (n + 1) * sizeof(*at));
    if (n == 0)
        return 0;
    if (FILL("/ranks/rank", i32, at->rank) ||
        FILL("/ranks/host_id", u32, at->host_id) ||
        FILL("/ranks/device_id", u32, at->device_id))
        return -1;
#define X(field, units, text)                                                  \
    if (FILL("/ranks/" #field, i64, at->field))                                \
        return -1;
    OSW_RANK_MAP(X)
#undef X
    for (size_t i = 0; i < n; i++) {
        at[i].rank += in->rank_first;
        if (map_id(in, OSW_DICT_HOST, &at[i].host_id, err) ||
            map_id(in, OSW_DICT_DEVICE, &at[i].device_id, err))
            return -1;
    }
    m->out.n_ranks += n;
    return 0;
}

static uint8_t event_kind(const char *name)
{
    int kind = 0;

    while (kind < OSW_EVENT_COUNT &&
           strcmp(osw_event_name((enum osw_event_kind)kind), name) != 0)
        kind++;
    return (uint8_t)(kind < OSW_EVENT_COUNT ? kind : OSW_EVENT_NOTE);
}

static int add_events(struct merging *m, const struct input *in,
                      struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/events");
    struct osw_replay_event *list =
        realloc(m->out.events, (m->out.n_events + n + 1) * sizeof(*list));
    const char *const *kinds, *const *texts;
    struct osw_replay_event *at;

    if (!list)
        return no_memory(err);
    m->out.events = list;
    at = list + m->out.n_events;
    if (n == 0)
        return 0;
    if (FILL("/events/t_ns", i64, at->t_ns) ||
        FILL("/events/rank", i32, at->rank) ||
        FILL("/events/value", i64, at->value) ||
        osw_file_texts(in->file, "/events/kind", n, &kinds, err) ||
        osw_file_texts(in->file, "/events/text", n, &texts, err))
        return -1;
    for (size_t i = 0; i < n; i++) {
        at[i].kind = event_kind(kinds[i]);
        at[i].text = texts[i];
        if (at[i].rank >= 0)
            at[i].rank += in->rank_first;
    }
    m->out.n_events += n;
    return 0;
}

/* Each assignment once. */
static int add_env(struct merging *m, const struct input *in,
                   struct osw_error *err)
{
    size_t n = (size_t)osw_file_rows(in->file, "/provenance");
    size_t all = m->out.n_env;
    const char *const *keys, *const *values;
    const char **k, **v;

    if (n == 0)
        return 0;
    k = osw_arena_array(m->arena, all + n, sizeof(*k));
    v = osw_arena_array(m->arena, all + n, sizeof(*v));
    if (!k || !v)
        return no_memory(err);
    if (osw_file_texts(in->file, "/provenance/env_key", n, &keys, err) ||
        osw_file_texts(in->file, "/provenance/env_value", n, &values, err))
        return -1;
    for (size_t i = 0; i < all; i++) {
        k[i] = m->out.env_keys[i];
        v[i] = m->out.env_values[i];
    }
    for (size_t i = 0; i < n; i++) {
        size_t same = 0;

        while (same < all && (strcmp(k[same], keys[i]) != 0 ||
                              strcmp(v[same], values[i]) != 0))
            same++;
        if (same < all)
            continue;
        k[all] = keys[i];
        v[all++] = values[i];
    }
    m->out.env_keys = k;
    m->out.env_values = v;
    m->out.n_env = all;
    return 0;
}

/* --- what the merged file says of itself --- */

static int64_t time_of(const char *utc)
{
    struct tm tm = {0};

    return strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm)
               ? (int64_t)timegm(&tm) * 1000000000
               : 0;
}

static void take_hex(const char *hex, uint8_t out[32])
{
    memset(out, 0, 32);
    for (int i = 0; i < 32 && strlen(hex) == 64; i++) {
        unsigned byte;

        if (sscanf(hex + 2 * i, "%2x", &byte) == 1)
            out[i] = (uint8_t)byte;
    }
}

/* The text when all runs have the same at `offset`, else `other`. */
static const char *common(const struct merging *m, size_t offset,
                          const char *other)
{
    const char *first = NULL;

    for (size_t i = 0; i < m->n_runs; i++) {
        const char *text;

        memcpy(&text, (const char *)&m->runs[i] + offset, sizeof(text));
        if (first && strcmp(first, text) != 0)
            return other;
        first = text;
    }
    return first;
}

#define COMMON(m, member, other)                                               \
    common(m, offsetof(struct osw_file_run, member), other)

/* Made of those of the runs, so that the same files give the same. */
static const char *make_uuid(struct merging *m)
{
    const char *same = COMMON(m, run_uuid, NULL);
    uint8_t b[SHA256_DIGEST_LENGTH];
    SHA2_CTX sha;

    if (same)
        return same;
    SHA256Init(&sha);
    for (size_t i = 0; i < m->n_runs; i++)
        SHA256Update(&sha, (const uint8_t *)m->runs[i].run_uuid,
                     strlen(m->runs[i].run_uuid) + 1);
    SHA256Final(b, &sha);
    return osw_arena_printf(m->arena,
                            "%02x%02x%02x%02x-%02x%02x-8%01x%02x-8%01x%02x-%"
                            "02x%02x%02x%02x%02x%02x",
                            b[0], b[1], b[2], b[3], b[4], b[5], b[6] & 15, b[7],
                            b[8] & 15, b[9], b[10], b[11], b[12], b[13], b[14],
                            b[15]);
}

/* Of several campaigns: the runs have theirs. */
static int describe_campaign(struct merging *m, struct osw_error *err)
{
    struct osw_run_info *i = &m->out.info;
    SHA2_CTX sha;

    i->campaign_path = COMMON(m, campaign_path, "");
    i->campaign_json = COMMON(m, campaign_json, NULL);
    i->campaign_resolved = COMMON(m, campaign_resolved, NULL);
    if (i->campaign_json && i->campaign_resolved) {
        take_hex(m->runs[0].campaign_sha256, m->out.campaign_sha256);
        return 0;
    }
    i->campaign_json = "";
    i->campaign_resolved =
        osw_arena_printf(m->arena, "{\"merged\": %zu}", m->n_runs);
    if (!i->campaign_resolved)
        return no_memory(err);
    SHA256Init(&sha);
    SHA256Update(&sha, (const uint8_t *)i->campaign_resolved,
                 strlen(i->campaign_resolved));
    SHA256Final(m->out.campaign_sha256, &sha);
    return 0;
}

static int describe(struct merging *m, struct osw_error *err)
{
    struct osw_run_info *i = &m->out.info;
    bool seeds = true;

    i->uuid = make_uuid(m);
    i->tool_version = COMMON(m, tool_version, "several");
    i->command_line = COMMON(m, command_line, "opsweep merge");
    i->hostname = COMMON(m, hostname, "several hosts");
    i->profile = COMMON(m, profile, "several");
    for (size_t k = 0; k < m->n_runs; k++) {
        int64_t start = time_of(m->runs[k].created_utc);
        int64_t end = time_of(m->runs[k].sealed_utc);

        if (k == 0 || start < i->t_start_ns)
            i->t_start_ns = start;
        if (end > m->out.t_end_ns)
            m->out.t_end_ns = end;
        seeds &= m->runs[k].seed == m->runs[0].seed;
    }
    i->seed = seeds ? m->runs[0].seed : 0;
    for (size_t k = 0; k < m->n; k++)
        i->mpi_size += osw_file_info(m->inputs[k].file)->mpi_size;
    if (m->n_plans == 1)
        take_hex(m->inputs[0].plan_sha256, m->out.plan_sha256);
    m->out.ended = true;
    if (!i->uuid)
        return no_memory(err);
    return describe_campaign(m, err);
}

/* --- runs --- */

static int collect_runs(struct merging *m, struct osw_error *err)
{
    m->runs = osw_arena_array(m->arena, m->n_runs + 1, sizeof(*m->runs));
    if (!m->runs)
        return no_memory(err);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->inputs[i].n_runs; k++) {
            struct osw_file_run *r = &m->runs[m->inputs[i].first_run + k];

            *r = m->inputs[i].runs[k];
            r->rank_first += m->inputs[i].rank_first;
            r->n_kept = 0;
        }
    return 0;
}

static void put_runs(void *arg, osw_store_t *s)
{
    const struct merging *m = arg;
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
    free(texts);
    free(values);
}

/* --- results --- */

static void find_dicts(struct merging *m)
{
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    for (size_t c = 0; c < n && c < MAX_COLUMNS; c++)
        m->dict_of[c] = columns[c].type == OSW_COLUMN_u32
                            ? osw_report_dict(&columns[c])
                            : OSW_DICT_COUNT;
}

static int read_row(void *arg, size_t i, float *samples, struct osw_record *out,
                    struct osw_error *err)
{
    struct merging *m = arg;
    const struct osw_merge_row *row = &m->rows[i];
    struct input *in = &m->inputs[row->file];
    const struct osw_record *r = osw_report_rows_at(&in->rows, row->row, err);
    size_t n;
    const struct osw_column *columns = osw_record_columns(&n);

    if (!r)
        return -1;
    if (r->sample_n != row->sample_n)
        return osw_fail(err, OSW_BAD_INPUT, "'%s' changed while it was read",
                        path_of(in));
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
            map_id(in, m->dict_of[c], id, err))
            return -1;
    }
    return 0;
}

static int list_rows(struct merging *m, struct osw_error *err)
{
    size_t n = m->decided.n_kept;

    m->out.rows = calloc(n + 1, sizeof(*m->out.rows));
    m->run_of = calloc(n + 1, sizeof(*m->run_of));
    if (!m->out.rows || !m->run_of)
        return no_memory(err);
    m->out.n_rows = n;
    for (size_t i = 0; i < n; i++) {
        const struct osw_merge_row *r = &m->rows[i];
        const struct input *in = &m->inputs[r->file];

        m->run_of[i] = (uint32_t)(in->first_run + in->run_of[r->row]);
        m->runs[m->run_of[i]].n_kept++;
        m->out.rows[i].cell = m->n_plans == 1 ? r->cell : i;
        m->out.rows[i].status = r->status;
        m->out.rows[i].sample_n = r->sample_n;
        m->out.n_samples += r->sample_n;
        if (i && m->out.rows[i].cell <= m->out.rows[i - 1].cell)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is damaged: cell %" PRIu64
                            " of the plan is another one than elsewhere",
                            path_of(in), r->cell);
    }
    return 0;
}

static int open_rows(struct merging *m, struct osw_error *err)
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

static int make_room(struct merging *m, struct osw_error *err)
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
        return no_memory(err);
    return 0;
}

/* Which two results of a cell do not go together. */
static int tell_conflict(const struct merging *m, struct osw_error *err)
{
    const struct osw_merge_row *a = &m->decided.conflict[0];
    const struct osw_merge_row *b = &m->decided.conflict[1];
    const char *more = m->decided.n_conflicts > 1 ? "s differ" : " differs";

    return osw_fail(
        err, OSW_BAD_INPUT,
        "cell 0x%016" PRIx64 " is '%s' on '%s' in '%s' and '%s' on '%s' in "
        "'%s'; %" PRIu64 " cell%s: --keep=first or --keep=last decides",
        a->key, osw_state_name((enum osw_state)a->status),
        osw_dicts_text(m->out.dicts, OSW_DICT_DEVICE, a->device),
        path_of(&m->inputs[a->file]), osw_state_name((enum osw_state)b->status),
        osw_dicts_text(m->out.dicts, OSW_DICT_DEVICE, b->device),
        path_of(&m->inputs[b->file]), m->decided.n_conflicts, more);
}

static int decide(struct merging *m, enum osw_merge_keep keep,
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

static int merge(struct merging *m, enum osw_merge_keep keep, const char *path,
                 struct osw_error *err)
{
    const struct osw_seal_source source = {
        .arg = m, .read = read_row, .put_runs = put_runs};
    struct osw_seal_source from = source;

    if (make_room(m, err))
        return -1;
    for (size_t i = 0; i < m->n; i++)
        if (open_input(m, i, err))
            return -1;
    if (decide(m, keep, err) || collect_runs(m, err))
        return -1;
    for (size_t i = 0; i < m->n; i++)
        if (add_devices(m, &m->inputs[i], err) ||
            add_ranks(m, &m->inputs[i], err) ||
            add_events(m, &m->inputs[i], err) ||
            add_env(m, &m->inputs[i], err) ||
            osw_file_sources(m->inputs[i].file, &m->out.sources,
                             &m->out.n_sources, err))
            return -1;
    find_dicts(m);
    if (describe(m, err) || list_rows(m, err) || open_rows(m, err))
        return -1;
    from.runs = m->run_of;
    return osw_seal_from(&m->out, &from, path, err);
}

static void clean_up(struct merging *m)
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
    osw_dicts_destroy(m->out.dicts);
    osw_arena_destroy(m->arena);
}

int osw_merge(osw_file_t *const *files, size_t n, enum osw_merge_keep keep,
              const char *path, struct osw_merged *out, struct osw_error *err)
{
    struct merging m = {.inputs = calloc(n, sizeof(*m.inputs)),
                        .n = n,
                        .arena = osw_arena_create(),
                        .out = {.dir = (char *)(uintptr_t) "a file"}};
    int rc;

    if (!m.inputs || !m.arena) {
        m.n = 0;
        rc = no_memory(err);
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
    clean_up(&m);
    return rc;
}
