/* results/file/seal.c - a journal becomes the result file, in one pass */
#include "results/file/seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/guard.h"
#include "ops/record/state.h"
#include "results/file/file.h"
#include "results/file/seal_dicts.h"
#include "results/file/seal_rows.h"
#include "results/file/store.h"

static const char epoch_units[] = "nanoseconds since 1970-01-01T00:00:00Z";

bool osw_seal_is_complete(const struct osw_replay *r)
{
    return r->ended && r->complete && r->n_rows == r->n_planned;
}

/* "2026-01-31T12:00:00Z"; "" for 0. */
static void put_utc(osw_store_t *s, const char *name, int64_t t_ns)
{
    time_t t = (time_t)(t_ns / 1000000000);
    char text[32] = "";
    struct tm tm;

    if (t_ns > 0 && gmtime_r(&t, &tm))
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    osw_store_attr_text(s, "/", name, text);
}

static void put_sha(osw_store_t *s, const char *object, const char *name,
                    const uint8_t sha[32])
{
    char hex[65];

    for (int i = 0; i < 32; i++)
        snprintf(hex + 2 * i, 3, "%02x", sha[i]);
    osw_store_attr_text(s, object, name, hex);
}

static void put_u64(osw_store_t *s, const char *name, uint64_t v)
{
    osw_store_attr(s, "/", name, OSW_STORE_U64, &v, 1);
}

/* How many cells ended in each group of states. */
static void put_group_counts(osw_store_t *s, const struct osw_replay *r)
{
    static const char *const names[OSW_GROUP_COUNT] = {
        [OSW_GROUP_PASS] = "n_pass",   [OSW_GROUP_FAIL] = "n_fail",
        [OSW_GROUP_ERROR] = "n_error", [OSW_GROUP_NOT_JUDGED] = "n_not_judged",
        [OSW_GROUP_INFRA] = "n_infra",
    };
    uint64_t n[OSW_GROUP_COUNT] = {0};

    for (size_t i = 0; i < r->n_rows; i++)
        n[osw_state_group((enum osw_state)r->rows[i].status)]++;
    for (int g = 0; g < OSW_GROUP_COUNT; g++)
        put_u64(s, names[g], n[g]);
}

/* Which part of a campaign it is; nothing for a whole one. */
static void put_shard(osw_store_t *s, const struct osw_run_shard *shard)
{
    if (shard->n == 0)
        return;
    osw_store_attr(s, "/", "shard", OSW_STORE_U32, &shard->index, 1);
    osw_store_attr(s, "/", "n_shards", OSW_STORE_U32, &shard->n, 1);
    put_u64(s, "n_campaign", shard->n_cells);
    put_sha(s, "/", "shard_of_sha256", shard->sha256);
}

/* How long the last session should have taken, and took. */
static void put_prediction(osw_store_t *s, const struct osw_replay *r)
{
    int64_t took_ns = r->t_end_ns - r->t_session_ns;

    if (r->prediction.n_workers == 0 || r->t_end_ns == 0)
        return;
    osw_store_attr(s, "/", "predicted_ns", OSW_STORE_I64,
                   &r->prediction.wall_ns, 1);
    osw_store_attr(s, "/", "predicted_work_ns", OSW_STORE_I64,
                   &r->prediction.work_ns, 1);
    osw_store_attr(s, "/", "predicted_workers", OSW_STORE_U32,
                   &r->prediction.n_workers, 1);
    put_u64(s, "predicted_n_cells", r->prediction.n_cells);
    put_u64(s, "predicted_n_known", r->prediction.n_known);
    osw_store_attr(s, "/", "took_ns", OSW_STORE_I64, &took_ns, 1);
}

static void put_root(osw_store_t *s, const struct osw_replay *r)
{
    static const int32_t version[] = {OSW_SEAL_SCHEMA_MAJOR,
                                      OSW_SEAL_SCHEMA_MINOR};
    uint8_t complete = osw_seal_is_complete(r);

    osw_store_attr_text(s, "/", "schema", OSW_SEAL_SCHEMA);
    osw_store_attr(s, "/", "schema_version", OSW_STORE_I32, version, 2);
    osw_store_attr_text(s, "/", "run_uuid", r->info.uuid);
    put_utc(s, "created_utc", r->info.t_start_ns);
    put_utc(s, "sealed_utc", r->t_end_ns);
    osw_store_attr(s, "/", "complete", OSW_STORE_U8, &complete, 1);
    put_u64(s, "n_planned", r->n_planned);
    put_u64(s, "n_results", r->n_rows);
    put_shard(s, &r->info.shard);
    put_prediction(s, r);
    put_group_counts(s, r);
    put_sha(s, "/", "campaign_sha256", r->campaign_sha256);
    osw_store_attr_text(s, "/", "tool_version", r->info.tool_version);
    osw_store_attr_text(s, "/", "command_line", r->info.command_line);
    osw_store_attr_text(s, "/", "hostname", r->info.hostname);
    osw_store_attr(s, "/", "mpi_size", OSW_STORE_U32, &r->info.mpi_size, 1);
    osw_store_attr_text(s, "/", "profile", r->info.profile);
    put_u64(s, "seed", r->info.seed);
    put_u64(s, "journal_last_seq", r->last_seq);
}

static void put_campaign(osw_store_t *s, const struct osw_replay *r)
{
    osw_store_group(s, "/campaign");
    osw_store_attr_text(s, "/campaign", "path", r->info.campaign_path);
    osw_store_text(s, "/campaign/json", r->info.campaign_json);
    osw_store_text(s, "/campaign/resolved", r->info.campaign_resolved);
}

static void put_provenance(osw_store_t *s, const struct osw_replay *r)
{
    osw_store_table(s, "/provenance", r->n_env);
    put_sha(s, "/provenance", "plan_sha256", r->plan_sha256);
    osw_store_texts(s, "/provenance", "env_key",
                    "environment: CUDA_* NCCL_* SLURM_* OMP_* only",
                    r->env_keys, r->n_env);
    osw_store_texts(s, "/provenance", "env_value", "its value", r->env_values,
                    r->n_env);
}

/* A member of an array of structs as a column. */
static void put_member(osw_store_t *s, const char *group,
                       const struct osw_store_column *column, size_t n,
                       const void *array, size_t stride, size_t offset)
{
    size_t item = osw_store_type_bytes(column->type);
    char *values = malloc(n * item + 1);

    if (!values) {
        osw_store_no_memory(s);
        return;
    }
    for (size_t i = 0; i < n; i++)
        memcpy(values + i * item, (const char *)array + i * stride + offset,
               item);
    osw_store_values(s, group, column, n, values);
    free(values);
}

#define PUT(group, array, n, field, kind, unit, words)                         \
    put_member(                                                                \
        s, group,                                                              \
        &(struct osw_store_column){.name = #field,                             \
                                   .type = OSW_STORE_##kind,                   \
                                   .units = unit,                              \
                                   .text = words},                             \
        n, array, sizeof((array)[0]),                                          \
        (size_t)((const char *)&(array)[0].field - (const char *)&(array)[0]))

/* /hosts: each host of a device once, in order of arrival. */
static void put_hosts(osw_store_t *s, const struct osw_replay *r)
{
    uint32_t n_ids = osw_dicts_count(r->dicts, OSW_DICT_HOST);
    uint32_t *ids = calloc(n_ids, sizeof(*ids));
    const char **names = calloc(n_ids, sizeof(*names));
    static const struct osw_store_column id = {.name = "host_id",
                                               .type = OSW_STORE_U32,
                                               .units = "1",
                                               .text = "index in /dict/host"};
    size_t n = 0;

    if (!ids || !names)
        osw_store_no_memory(s);
    for (size_t i = 0; ids && names && i < r->n_devices; i++) {
        size_t k = 0;

        while (k < n && ids[k] != r->devices[i].host_id)
            k++;
        if (k < n)
            continue;
        ids[n] = r->devices[i].host_id;
        names[n++] = osw_dicts_text(r->dicts, OSW_DICT_HOST, ids[k]);
    }
    osw_store_table(s, "/hosts", n);
    osw_store_texts(s, "/hosts", "hostname", "name of the host", names, n);
    osw_store_values(s, "/hosts", &id, n, ids);
    free(ids);
    free(names);
}

/* One column of what is known about devices. */
static void put_info(osw_store_t *s, const struct osw_replay *r,
                     const struct osw_device_column *c, const char **texts)
{
    static const struct osw_replay_device none;
    const struct osw_replay_device *d = r->n_devices ? r->devices : &none;
    struct osw_store_column column = {
        .name = c->name, .units = c->units, .text = c->text};

    for (size_t i = 0; c->size && i < r->n_devices; i++)
        texts[i] = (const char *)&d[i].info + c->offset;
    if (c->size) {
        osw_store_texts(s, "/devices", c->name, c->text, texts, r->n_devices);
        return;
    }
    column.type = osw_seal_store_type(c->type);
    put_member(s, "/devices", &column, r->n_devices, d, sizeof(*d),
               offsetof(struct osw_replay_device, info) + c->offset);
}

static void put_devices(osw_store_t *s, const struct osw_replay *r)
{
    static const struct osw_replay_device none;
    const struct osw_replay_device *d = r->n_devices ? r->devices : &none;
    const char **texts = calloc(r->n_devices + 1, sizeof(*texts));
    const struct osw_device_column *columns;
    size_t n;

    if (!texts) {
        osw_store_no_memory(s);
        return;
    }
    columns = osw_device_info_columns(&n);
    osw_store_table(s, "/devices", r->n_devices);
    PUT("/devices", d, r->n_devices, rank, I32, "1", "MPI rank that uses it");
    PUT("/devices", d, r->n_devices, host_id, U32, "1", "index in /dict/host");
    PUT("/devices", d, r->n_devices, device_id, U32, "1",
        "index in /dict/device");
    for (size_t i = 0; i < r->n_devices; i++)
        texts[i] =
            osw_dicts_text(r->dicts, OSW_DICT_HOST, r->devices[i].host_id);
    osw_store_texts(s, "/devices", "hostname", "name of its host", texts,
                    r->n_devices);
    for (size_t i = 0; i < n; i++)
        put_info(s, r, &columns[i], texts);
    free(texts);
}

static void put_ranks(osw_store_t *s, const struct osw_replay *r)
{
    static const struct osw_rank_summary none;
    const struct osw_rank_summary *a = r->n_ranks ? r->ranks : &none;

    osw_store_table(s, "/ranks", r->n_ranks);
    PUT("/ranks", a, r->n_ranks, rank, I32, "1", "MPI rank");
    PUT("/ranks", a, r->n_ranks, host_id, U32, "1", "index in /dict/host");
    PUT("/ranks", a, r->n_ranks, device_id, U32, "1", "index in /dict/device");
#define X(field, units, text)                                                  \
    PUT("/ranks", a, r->n_ranks, field, I64, units, text);
    OSW_RANK_MAP(X)
#undef X
}

static void put_events(osw_store_t *s, const struct osw_replay *r)
{
    static const struct osw_replay_event none;
    const struct osw_replay_event *e = r->n_events ? r->events : &none;
    const char **texts = calloc(r->n_events + 1, sizeof(*texts));

    if (!texts)
        osw_store_no_memory(s);
    osw_store_table(s, "/events", r->n_events);
    PUT("/events", e, r->n_events, t_ns, I64, epoch_units, "when it happened");
    PUT("/events", e, r->n_events, rank, I32, "1", "MPI rank; -1: none");
    for (size_t i = 0; texts && i < r->n_events; i++)
        texts[i] = osw_event_name((enum osw_event_kind)r->events[i].kind);
    osw_store_texts(s, "/events", "kind", "what happened", texts, r->n_events);
    PUT("/events", e, r->n_events, value, I64, "1", "a number beside it");
    for (size_t i = 0; texts && i < r->n_events; i++)
        texts[i] = r->events[i].text;
    osw_store_texts(s, "/events", "text", "in words", texts, r->n_events);
    free(texts);
}

/* /sources: what each op's files were when the run began. */
static void put_sources(osw_store_t *s, const struct osw_replay *r)
{
    const char **texts = calloc(3 * r->n_sources + 1, sizeof(*texts));
    char(*hex)[65] = calloc(r->n_sources + 1, sizeof(*hex));
    const char **op = texts, **file = texts + r->n_sources;
    const char **sha = texts + 2 * r->n_sources;

    if (!texts || !hex)
        osw_store_no_memory(s);
    for (size_t i = 0; texts && hex && i < r->n_sources; i++) {
        op[i] = r->sources[i].op;
        file[i] = r->sources[i].file;
        sha[i] = hex[i];
        for (int k = 0; k < 32; k++)
            snprintf(hex[i] + 2 * k, 3, "%02x", r->sources[i].sha256[k]);
    }
    if (texts && hex) {
        osw_store_table(s, "/sources", r->n_sources);
        osw_store_texts(s, "/sources", "op", "name of the op", op,
                        r->n_sources);
        osw_store_texts(s, "/sources", "file", "name in the op's folder", file,
                        r->n_sources);
        osw_store_texts(s, "/sources", "sha256",
                        "digest of the file when the run began; zeros: none",
                        sha, r->n_sources);
    }
    free(texts);
    free(hex);
}

static int write_file(const struct osw_replay *r,
                      const struct osw_seal_source *source, const char *path,
                      struct osw_error *err)
{
    osw_store_t *s = osw_store_create(path, err);
    int rc;

    if (!s)
        return -1;
    put_root(s, r);
    put_campaign(s, r);
    put_provenance(s, r);
    put_hosts(s, r);
    put_devices(s, r);
    put_ranks(s, r);
    put_events(s, r);
    put_sources(s, r);
    rc = osw_seal_dicts(r, source == NULL, s, err);
    if (source)
        source->put_tables(source->arg, s);
    if (rc == 0)
        rc = osw_seal_rows(r, source, s, err);
    if (osw_store_finish(s, err))
        rc = -1;
    return rc;
}

enum { VERIFY_ROWS = 16384 };

/* Do n cells of the file from the first on read back as they were written? */
static bool same_cells(const struct osw_replay *r, const osw_file_t *f,
                       size_t first, size_t n, struct osw_error *err)
{
    uint64_t cells[VERIFY_ROWS];

    if (osw_file_column_part(f, "cell", OSW_COLUMN_u64, first, n, cells, err))
        return false;
    for (size_t i = 0; i < n; i++)
        if (cells[i] != r->rows[first + i].cell)
            return false;
    return true;
}

/* Read back what a reader would ask for first. */
static int verify(const struct osw_replay *r, const char *path,
                  struct osw_error *err)
{
    osw_file_t *f = osw_file_open_bare(path, err);
    bool same = f && osw_file_info(f)->n_results == r->n_rows &&
                osw_file_info(f)->n_samples == r->n_samples;

    for (size_t i = 0; same && i < r->n_rows; i += VERIFY_ROWS)
        same = same_cells(
            r, f, i, r->n_rows - i < VERIFY_ROWS ? r->n_rows - i : VERIFY_ROWS,
            err);
    for (int d = 0; same && d < OSW_DICT_COUNT; d++)
        same = osw_file_check_dict(f, (enum osw_dict)d, r->dicts, err) == 0;
    osw_file_close(f);
    if (!same)
        osw_fail(err, OSW_SYSTEM, "'%s' does not read back as written", path);
    return same ? 0 : -1;
}

static int rename_synced(const char *from, const char *to,
                         struct osw_error *err)
{
    char *copy = strdup(to);
    int fd = -1, rc = -1;

    if (!copy)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to rename '%s'", from);
    if (rename(from, to)) {
        osw_fail_sys(err, errno, "cannot rename '%s' to '%s'", from, to);
        goto out;
    }
    fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || (fsync(fd) && errno != EINVAL)) {
        osw_fail_sys(err, errno, "cannot sync the directory of '%s'", to);
        goto out;
    }
    rc = 0;
out:
    if (fd >= 0)
        close(fd);
    free(copy);
    return rc;
}

/* Remove files of a process that was killed while it sealed.  The journal's
 * lock allows one writer, so they are not in use. */
static void remove_leftovers(const char *path)
{
    char *copy = strdup(path);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    DIR *dir = copy ? opendir(dirname(copy)) : NULL;
    size_t n = strlen(name);
    struct dirent *e;

    while (dir && (e = readdir(dir)))
        if (strncmp(e->d_name, name, n) == 0 &&
            strncmp(e->d_name + n, ".tmp.", 5) == 0 &&
            strspn(e->d_name + n + 5, "0123456789") ==
                strlen(e->d_name + n + 5))
            unlinkat(dirfd(dir), e->d_name, 0);
    if (dir)
        closedir(dir);
    free(copy);
}

int osw_seal(const struct osw_replay *r, const char *path,
             struct osw_error *err)
{
    return osw_seal_from(r, NULL, path, err);
}

int osw_seal_from(const struct osw_replay *r,
                  const struct osw_seal_source *source, const char *path,
                  struct osw_error *err)
{
    size_t size = strlen(path) + 32;
    char *temp = malloc(size);
    int rc = -1;

    if (!temp)
        return osw_fail(err, OSW_NO_MEMORY, "no memory to write '%s'", path);
    snprintf(temp, size, "%s.tmp.%ld", path, (long)getpid());
    remove_leftovers(path);
    osw_guard_unfinished(temp);
    if (write_file(r, source, temp, err) == 0 && verify(r, temp, err) == 0)
        rc = rename_synced(temp, path, err);
    if (rc)
        unlink(temp);
    osw_guard_unfinished(NULL);
    free(temp);
    return rc;
}
