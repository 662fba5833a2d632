/* results/file/file_runs.c - the runs that a result file was made of */
#include "results/file/file_runs.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_RUNS = 1 << 16 };

static int no_memory(struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory for the runs of a file");
}

/* A file that is one run says all of it in its attributes. */
static int from_info(const osw_file_t *file, struct osw_file_run *run,
                     struct osw_error *err)
{
    const struct osw_file_info *i = osw_file_info(file);

    *run = (struct osw_file_run){
        .path = i->path,
        .run_uuid = i->run_uuid,
        .created_utc = i->created_utc,
        .sealed_utc = i->sealed_utc,
        .tool_version = i->tool_version,
        .command_line = i->command_line,
        .hostname = i->hostname,
        .profile = i->profile,
        .campaign_sha256 = i->campaign_sha256,
        .campaign_path = i->campaign_path,
        .campaign_json = i->campaign_json,
        .campaign_resolved = i->campaign_resolved,
        .seed = i->seed,
        .mpi_size = i->mpi_size,
        .complete = i->complete,
        .n_planned = i->n_planned,
        .n_results = i->n_results,
        .n_kept = i->n_results,
        .shard = i->shard.index,
        .n_shards = i->shard.n,
    };
    return osw_file_attribute(file, "/provenance", "plan_sha256",
                              &run->plan_sha256, err);
}

/* A column of numbers into the member at `offset` of each run; one that the
 * file is too old for leaves 0.
 */
static int read_numbers(const osw_file_t *file, const char *path,
                        enum osw_column_type type, size_t bytes, size_t offset,
                        struct osw_file_run *runs, size_t n,
                        struct osw_error *err)
{
    char *values;
    int rc;

    if (!osw_file_has(file, path))
        return 0;
    values = malloc(n * bytes);
    rc = values ? osw_file_values(file, path, type, n, values, err)
                : no_memory(err);
    for (size_t i = 0; i < n && rc == 0; i++)
        memcpy((char *)&runs[i] + offset, values + i * bytes, bytes);
    free(values);
    return rc;
}

static int from_table(const osw_file_t *file, struct osw_file_run *runs,
                      size_t n, struct osw_error *err)
{
    const char *const *texts;

#define X(member, text)                                                        \
    if (osw_file_texts(file, "/runs/" #member, n, &texts, err))                \
        return -1;                                                             \
    for (size_t i = 0; i < n; i++)                                             \
        runs[i].member = texts[i];
    OSW_FILE_RUN_TEXTS(X)
#undef X
#define X(member, type, wire, text)                                            \
    if (read_numbers(file, "/runs/" #member, OSW_COLUMN_##wire, sizeof(type),  \
                     offsetof(struct osw_file_run, member), runs, n, err))     \
        return -1;
    OSW_FILE_RUN_NUMBERS(X)
#undef X
    return 0;
}

struct osw_file_run *osw_file_runs(const osw_file_t *file, size_t *n,
                                   struct osw_error *err)
{
    uint64_t rows = osw_file_rows(file, "/runs");
    struct osw_file_run *runs;

    if (rows > MAX_RUNS) {
        osw_fail(err, OSW_BAD_INPUT, "'%s': too many rows in '/runs'",
                 osw_file_info(file)->path);
        return NULL;
    }
    runs = calloc(rows ? rows : 1, sizeof(*runs));
    if (!runs) {
        no_memory(err);
        return NULL;
    }
    if (rows ? from_table(file, runs, (size_t)rows, err)
             : from_info(file, runs, err)) {
        free(runs);
        return NULL;
    }
    *n = rows ? (size_t)rows : 1;
    return runs;
}

int osw_file_runs_of(const osw_file_t *file, size_t n_runs, uint32_t *out,
                     struct osw_error *err)
{
    const struct osw_file_info *info = osw_file_info(file);

    if (osw_file_rows(file, "/runs") == 0) {
        memset(out, 0, info->n_results * sizeof(*out));
        return 0;
    }
    if (osw_file_column(file, "run", OSW_COLUMN_u32, out, err))
        return -1;
    for (uint64_t i = 0; i < info->n_results; i++)
        if (out[i] >= n_runs)
            return osw_fail(err, OSW_BAD_INPUT,
                            "'%s' is damaged: a cell of run %u, there are %zu",
                            info->path, out[i], n_runs);
    return 0;
}

int osw_file_run_of(const osw_file_t *file, const struct osw_record *record,
                    struct osw_file_run *out, struct osw_error *err)
{
    uint64_t n = osw_file_info(file)->n_results;
    uint64_t *cells = malloc((n + 1) * sizeof(*cells));
    uint32_t *of = malloc((n + 1) * sizeof(*of));
    size_t n_runs = 0;
    struct osw_file_run *runs = osw_file_runs(file, &n_runs, err);
    int rc = -1;

    if (!cells || !of)
        no_memory(err);
    else if (runs)
        rc = osw_file_runs_of(file, n_runs, of, err);
    if (rc == 0 && n_runs > 1)
        rc = osw_file_column(file, "cell", OSW_COLUMN_u64, cells, err);
    if (rc == 0) {
        uint64_t i = 0;

        while (n_runs > 1 && i + 1 < n && cells[i] != record->cell)
            i++;
        *out = runs[n ? of[i] : 0];
    }
    free(cells);
    free(of);
    free(runs);
    return rc;
}
