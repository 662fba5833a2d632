/* results/export/merge_input.c - what a file brings to a merge: dictionaries,
 * runs, rows, its plan */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "results/export/merge_parts.h"
#include "results/file/seal.h"

int osw_merge_no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to merge the files");
}

const char *osw_merge_path_of(const struct osw_merge_input *in)
{
    return osw_file_info(in->file)->path;
}

uint32_t osw_merge_n_ranks(const struct osw_merge_input *in)
{
    enum { MOST = 1 << 24 }; /* a file may say what it likes */
    uint32_t n = osw_file_info(in->file)->mpi_size;
    size_t n_devices;
    const struct osw_file_device *d = osw_file_devices(in->file, &n_devices);

    for (size_t i = 0; i < n_devices; i++)
        if (d[i].rank >= 0 && d[i].rank < MOST && (uint32_t)d[i].rank >= n)
            n = (uint32_t)d[i].rank + 1;
    return n;
}

/* --- dictionaries --- */

static int map_dict(struct osw_merging *m, struct osw_merge_input *in,
                    enum osw_dict d, struct osw_error *err)
{
    uint32_t n = osw_file_dict_count(in->file, d);
    bool is_new;

    in->map[d] = osw_arena_array(m->arena, (size_t)n + 1, sizeof(uint32_t));
    if (!in->map[d])
        return osw_merge_no_memory(err);
    in->n_map[d] = n;
    for (uint32_t i = 0; i < n; i++) {
        if (osw_dicts_intern(m->out.dicts, d, osw_file_text(in->file, d, i),
                             &in->map[d][i], &is_new, err))
            return osw_error_in(err, "'%s'", osw_merge_path_of(in));
        if (osw_dict_fixed(d) && in->map[d][i] != i)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s': dictionary '%s' has another order",
                            osw_merge_path_of(in), osw_dict_name(d));
    }
    return 0;
}

/* An id of the file as one of the merged file. */
int osw_merge_map_id(const struct osw_merge_input *in, enum osw_dict d,
                     uint32_t *id, struct osw_error *err)
{
    if (in->n_map[d] == 0 && *id == 0)
        return 0; /* the file is older than the dictionary */
    if (*id >= in->n_map[d])
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: entry %" PRIu32
                        " of dictionary '%s' is not there",
                        osw_merge_path_of(in), *id, osw_dict_name(d));
    *id = in->map[d][*id];
    return 0;
}

/* --- reading what all files say --- */

static int check_version(const struct osw_merge_input *in,
                         struct osw_error *err)
{
    const int32_t *v = osw_file_info(in->file)->version;

    if (v[1] > OSW_SEAL_SCHEMA_MINOR)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has schema version %d.%d, this program knows "
                        "%d.%d: it would lose what is newer",
                        osw_merge_path_of(in), v[0], v[1],
                        OSW_SEAL_SCHEMA_MAJOR, OSW_SEAL_SCHEMA_MINOR);
    return 0;
}

/* One column of all rows of a file, into the member at `offset`. */
static int read_member(const struct osw_merge_input *in, const char *name,
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

static int read_rows(struct osw_merge_input *in, uint32_t number,
                     struct osw_merge_row *rows, struct osw_error *err)
{
    uint64_t n = osw_file_info(in->file)->n_results;
    void *values = malloc((n + 1) * sizeof(uint64_t));
    int rc = -1;

#define READ(name, type, member)                                               \
    read_member(in, name, OSW_COLUMN_##type, sizeof(rows->member), values,     \
                rows, offsetof(struct osw_merge_row, member), err)
    if (!values)
        return osw_merge_no_memory(err);
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
        rc = osw_merge_map_id(in, OSW_DICT_DEVICE, &rows[i].device, err);
        if (rows[i].sample_n > OSW_RECORD_MAX_SAMPLES)
            rc = osw_fail(err, OSW_BAD_INPUT,
                          "'%s' is damaged: row %" PRIu64 " has %" PRIu32
                          " samples",
                          osw_merge_path_of(in), i, rows[i].sample_n);
    }
    return rc;
}

/* An unknown plan is like no other. */
static bool is_same_plan(const struct osw_merge_input *a,
                         const struct osw_merge_input *b)
{
    const struct osw_file_shard *x = &osw_file_info(a->file)->shard;
    const struct osw_file_shard *y = &osw_file_info(b->file)->shard;
    const char *sha = a->plan_sha256;

    if (x->n && y->n)
        return strcmp(x->sha256, y->sha256) == 0;
    return strspn(sha, "0") != strlen(sha) && strcmp(sha, b->plan_sha256) == 0;
}

/* Files of one plan get the same number. */
static void find_plan(struct osw_merging *m, size_t i)
{
    const struct osw_file_info *info = osw_file_info(m->inputs[i].file);
    size_t k = 0;

    while (k < i && !is_same_plan(&m->inputs[k], &m->inputs[i]))
        k++;
    if (k < i) {
        m->plans[i] = m->plans[k];
        return;
    }
    m->plans[i] = m->n_plans;
    m->n_planned[m->n_plans++] =
        info->shard.n ? info->shard.n_cells : info->n_planned;
}

int osw_merge_open_input(struct osw_merging *m, size_t i, struct osw_error *err)
{
    struct osw_merge_input *in = &m->inputs[i];
    uint64_t n = osw_file_info(in->file)->n_results;

    in->rank_first = 0;
    for (size_t k = 0; k < i; k++)
        in->rank_first += (int32_t)osw_merge_n_ranks(&m->inputs[k]);
    if (check_version(in, err))
        return -1;
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        if (map_dict(m, in, (enum osw_dict)d, err))
            return -1;
    in->runs = osw_file_runs(in->file, &in->n_runs, err);
    in->run_of = osw_arena_array(m->arena, n + 1, sizeof(*in->run_of));
    if (!in->runs || !in->run_of)
        return osw_merge_no_memory(err);
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
