/* results/file/file_h5.c - reading a sealed result file */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/guard.h"
#include "results/file/file_values_h5.h"
#include "results/file/footer.h"
#include "results/file/seal.h"

enum { MAX_DEVICES = 1 << 20, MAX_SHARDS = 1 << 16 };

/* Is it ours, and of a version that can be read? */
static int check_schema(osw_file_t *f, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *schema;

    if (osw_file_read_attr_text(f, "/", "schema", &schema, &why) ||
        strcmp(schema, OSW_SEAL_SCHEMA) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is no result file: attribute 'schema' is not "
                        "'%s'",
                        f->info.path, OSW_SEAL_SCHEMA);
    if (osw_file_read_attr(f, "/", "schema_version", H5T_NATIVE_INT32, 2,
                           f->info.version, err))
        return -1;
    if (f->info.version[0] != OSW_SEAL_SCHEMA_MAJOR)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has schema version %d.%d, this program reads "
                        "%d.x",
                        f->info.path, f->info.version[0], f->info.version[1],
                        OSW_SEAL_SCHEMA_MAJOR);
    return 0;
}

/* Only files of shards have these attributes. */
static int read_shard(osw_file_t *f, struct osw_error *err)
{
    struct osw_file_shard *s = &f->info.shard;

    s->sha256 = "";
    if (H5Aexists_by_name(osw_file_in(f), "/", "n_shards", H5P_DEFAULT) <= 0)
        return 0;
    if (osw_file_read_attr(f, "/", "shard", H5T_NATIVE_UINT32, 1, &s->index,
                           err) ||
        osw_file_read_attr(f, "/", "n_shards", H5T_NATIVE_UINT32, 1, &s->n,
                           err) ||
        osw_file_read_attr(f, "/", "n_campaign", H5T_NATIVE_UINT64, 1,
                           &s->n_cells, err) ||
        osw_file_read_attr_text(f, "/", "shard_of_sha256", &s->sha256, err))
        return -1;
    if (s->n == 0 || s->n > MAX_SHARDS || s->index > s->n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' says it is shard %" PRIu32 " of %" PRIu32
                        ", expected at most %d",
                        f->info.path, s->index, s->n, MAX_SHARDS);
    return 0;
}

static int read_info(osw_file_t *f, struct osw_error *err)
{
    struct osw_file_info *i = &f->info;
    const struct {
        const char *object, *name;
        const char **out;
    } texts[] = {
        {"/", "run_uuid", &i->run_uuid},
        {"/", "created_utc", &i->created_utc},
        {"/", "sealed_utc", &i->sealed_utc},
        {"/", "campaign_sha256", &i->campaign_sha256},
        {"/", "tool_version", &i->tool_version},
        {"/", "command_line", &i->command_line},
        {"/", "hostname", &i->hostname},
        {"/", "profile", &i->profile},
        {"/campaign", "path", &i->campaign_path},
    };
    uint8_t complete = 0;

    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
        if (osw_file_read_attr_text(f, texts[k].object, texts[k].name,
                                    texts[k].out, err))
            return -1;
    if (osw_file_read_attr(f, "/", "complete", H5T_NATIVE_UINT8, 1, &complete,
                           err) ||
        osw_file_read_attr(f, "/", "n_planned", H5T_NATIVE_UINT64, 1,
                           &i->n_planned, err) ||
        osw_file_read_attr(f, "/", "n_results", H5T_NATIVE_UINT64, 1,
                           &i->n_results, err) ||
        osw_file_read_attr(f, "/", "seed", H5T_NATIVE_UINT64, 1, &i->seed,
                           err) ||
        osw_file_read_attr(f, "/", "mpi_size", H5T_NATIVE_UINT32, 1,
                           &i->mpi_size, err))
        return -1;
    i->complete = complete != 0;
    if (read_shard(f, err))
        return -1;
    if (osw_file_read_scalar_text(f, "/campaign/json", &i->campaign_json,
                                  err) ||
        osw_file_read_scalar_text(f, "/campaign/resolved",
                                  &i->campaign_resolved, err))
        return -1;
    return 0;
}

static int read_dicts(osw_file_t *f, struct osw_error *err)
{
    for (int d = 0; d < OSW_DICT_COUNT; d++) {
        char path[64];
        uint64_t n;

        snprintf(path, sizeof(path), "/dict/%s",
                 osw_dict_name((enum osw_dict)d));
        if (d > OSW_DICT_BASELINE &&
            H5Lexists(osw_file_in(f), path, H5P_DEFAULT) <= 0)
            continue; /* the file is older than the dictionary */
        if (osw_file_read_texts(f, path, &f->dict[d].texts, &n, err))
            return -1;
        f->dict[d].n = (uint32_t)n;
    }
    return 0;
}

struct checking {
    const osw_file_t *f;
    const osw_dicts_t *dicts;
    enum osw_dict dict;
    uint64_t n_same;
};

static int check_text(void *arg, uint64_t i, const char *text,
                      struct osw_error *err)
{
    struct checking *c = arg;

    if (i > UINT32_MAX || !osw_dicts_is(c->dicts, c->dict, (uint32_t)i, text))
        return osw_fail(err, OSW_BAD_INPUT, "'%s': text %" PRIu64 " differs",
                        c->f->info.path, i);
    c->n_same++;
    return 0;
}

int osw_file_check_dict(const osw_file_t *f, enum osw_dict dict,
                        const osw_dicts_t *dicts, struct osw_error *err)
{
    struct checking c = {f, dicts, dict, 0};
    uint32_t n = osw_dicts_count(dicts, dict);
    char path[64];

    snprintf(path, sizeof(path), "/dict/%s", osw_dict_name(dict));
    if (osw_file_each_text(f, path, check_text, &c, err))
        return -1;
    return c.n_same == n
               ? 0
               : osw_fail(err, OSW_BAD_INPUT,
                          "'%s': %" PRIu64 " texts in '%s', expected %" PRIu32,
                          f->info.path, c.n_same, path, n);
}

static int check_lengths(osw_file_t *f, struct osw_error *err)
{
    uint64_t n = f->info.n_results;

    f->info.n_samples = osw_file_dataset_length(f, "/samples/t");
    if (n > OSW_FILE_MAX_ROWS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has %" PRIu64 " results, at most %d",
                        f->info.path, n, OSW_FILE_MAX_ROWS);
    if (osw_file_dataset_length(f, "/results/cell") != n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: /results/cell has %" PRIu64
                        " values, attribute 'n_results' says %" PRIu64,
                        f->info.path,
                        osw_file_dataset_length(f, "/results/cell"), n);
    return 0;
}

/* One column of /devices into its member of every row. */
static int read_device_column(osw_file_t *f, const char *name,
                              enum osw_column_type type, size_t text_size,
                              size_t offset, struct osw_error *err)
{
    const char **texts = NULL;
    void *values = NULL;
    uint64_t n = f->n_devices;
    char path[64];
    size_t bytes;
    hid_t native = osw_file_native_type(type, &bytes);

    snprintf(path, sizeof(path), "/devices/%s", name);
    if (H5Lexists(osw_file_in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    if (text_size) {
        if (osw_file_read_texts(f, path, &texts, &n, err) || n != f->n_devices)
            return osw_file_bad(f, err, "unexpected length of", path);
    } else {
        values = osw_arena_array(f->arena, f->n_devices + 1, bytes);
        if (!values)
            return osw_file_no_memory(f, err);
        if (osw_file_read_part(f, path, native, n, 0, n, values, err))
            return -1;
    }
    for (size_t i = 0; i < f->n_devices; i++) {
        char *at = (char *)&f->devices[i] + offset;

        if (text_size)
            snprintf(at, text_size, "%s", texts[i]);
        else
            memcpy(at, (const char *)values + i * bytes, bytes);
    }
    return 0;
}

#define IN_ROW(field) offsetof(struct osw_file_device, field)

static int read_devices(osw_file_t *f, struct osw_error *err)
{
    size_t n_columns;
    const struct osw_device_column *columns =
        osw_device_info_columns(&n_columns);
    uint64_t n = osw_file_dataset_length(f, "/devices/rank");

    if (n > MAX_DEVICES)
        return osw_file_bad(f, err, "too many rows in", "/devices");
    f->n_devices = (size_t)n;
    f->devices =
        osw_arena_array(f->arena, f->n_devices + 1, sizeof(*f->devices));
    if (!f->devices)
        return osw_file_no_memory(f, err);
    for (size_t i = 0; i < f->n_devices; i++) {
        f->devices[i] = (struct osw_file_device){.rank = -1};
        osw_device_info_init(&f->devices[i].info);
    }
    if (read_device_column(f, "rank", OSW_COLUMN_i32, 0, IN_ROW(rank), err) ||
        read_device_column(f, "host_id", OSW_COLUMN_u32, 0, IN_ROW(host_id),
                           err) ||
        read_device_column(f, "device_id", OSW_COLUMN_u32, 0, IN_ROW(device_id),
                           err))
        return -1;
    for (size_t i = 0; i < n_columns; i++)
        if (read_device_column(f, columns[i].name, columns[i].type,
                               columns[i].size,
                               IN_ROW(info) + columns[i].offset, err))
            return -1;
    return 0;
}

/* What it is instead of a file, as text. */
static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Is there a run's journal beside the place of its file? */
static bool has_journal(const char *path)
{
    char journal[4096];
    struct stat st;
    int n = snprintf(journal, sizeof(journal), "%s.journal", path);

    return n > 0 && (size_t)n < sizeof(journal) && stat(journal, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

/* Damage is to be found by us: HDF5 may crash over it. */
static int check_bytes(const osw_file_t *f, struct osw_error *err)
{
    const char *path = f->info.path;
    /* O_NONBLOCK: do not wait for a writer if it is a pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    int rc;

    if (fd < 0 && errno == ENOENT && has_journal(path))
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is not there yet: its run goes on or was cut "
                        "off, and '%s.journal' has its results (opsweep status "
                        "tells which)",
                        path, path);
    if (fd < 0)
        return osw_fail(err, OSW_BAD_INPUT, "cannot open '%s': %s%s", path,
                        errno == ENXIO ? "a socket or a pipe: " : "",
                        strerror(errno));
    if (fstat(fd, &st))
        rc = osw_fail_sys(err, errno, "cannot read '%s'", path);
    else if (!S_ISREG(st.st_mode))
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s' is %s, expected a result file (*.h5)", path,
                      kind_of(st.st_mode));
    else if (st.st_size == 0)
        rc = osw_fail(err, OSW_BAD_INPUT,
                      "'%s' is empty, expected a result file (*.h5)", path);
    else
        rc = osw_footer_check(fd, path, err);
    close(fd);
    return rc < 0 ? -1 : 0;
}

/* Without a lock, which not every shared file system has: a sealed file does
 * not change any more.
 */
static hid_t open_unlocked(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;

    if (access < 0)
        return -1;
#if H5_VERSION_GE(1, 10, 7)
    H5Pset_file_locking(access, 0, 1);
#endif
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    return file;
}

static int open_file(osw_file_t *f, struct osw_error *err)
{
    const char *path = f->info.path;

    if (check_bytes(f, err))
        return -1;
    if (H5Fis_hdf5(path) <= 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is no HDF5 file, expected a result file (*.h5)",
                        path);
    f->file = open_unlocked(path);
    if (f->file < 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is truncated, damaged or being written", path);
    return 0;
}

static osw_file_t *open_result(const char *path, bool bare,
                               struct osw_error *err)
{
    osw_file_t *f = calloc(1, sizeof(*f));

    if (f) {
        f->file = -1;
        f->arena = osw_arena_create();
        f->info.path = f->arena ? osw_arena_strdup(f->arena, path) : NULL;
        f->opened = f->info.path;
    }
    if (!f || !f->info.path) {
        osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", path);
        goto fail;
    }
    osw_guard_open(path);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    if (open_file(f, err) || check_schema(f, err) || read_info(f, err) ||
        (!bare && read_dicts(f, err)) || check_lengths(f, err) ||
        read_devices(f, err))
        goto fail;
    return f;
fail:
    osw_file_close(f);
    return NULL;
}

osw_file_t *osw_file_open(const char *path, struct osw_error *err)
{
    return open_result(path, false, err);
}

osw_file_t *osw_file_open_bare(const char *path, struct osw_error *err)
{
    return open_result(path, true, err);
}

void osw_file_close(osw_file_t *f)
{
    if (!f)
        return;
    if (f->file >= 0)
        H5Fclose(osw_file_in(f));
    osw_arena_destroy(f->arena);
    free(f);
}

int osw_file_set_name(osw_file_t *f, const char *path, struct osw_error *err)
{
    const char *copy = osw_arena_strdup(f->arena, path);

    if (!copy)
        return osw_file_no_memory(f, err);
    f->info.path = copy;
    return 0;
}

const struct osw_file_info *osw_file_info(const osw_file_t *f)
{
    return &f->info;
}

const struct osw_file_device *osw_file_devices(const osw_file_t *f, size_t *n)
{
    *n = f->n_devices;
    return f->devices;
}

uint32_t osw_file_dict_count(const osw_file_t *f, enum osw_dict dict)
{
    return f->dict[dict].n;
}

const char *osw_file_text(const osw_file_t *f, enum osw_dict dict, uint32_t id)
{
    return id < f->dict[dict].n ? f->dict[dict].texts[id] : "?";
}

int osw_file_column(const osw_file_t *f, const char *name,
                    enum osw_column_type type, void *out, struct osw_error *err)
{
    return osw_file_column_part(f, name, type, 0, (size_t)f->info.n_results,
                                out, err);
}

int osw_file_column_part(const osw_file_t *f, const char *name,
                         enum osw_column_type type, uint64_t first, size_t n,
                         void *out, struct osw_error *err)
{
    char path[256];
    size_t bytes;
    hid_t native = osw_file_native_type(type, &bytes);

    snprintf(path, sizeof(path), "/results/%s", name);
    return osw_file_read_part(f, path, native, f->info.n_results, first, n, out,
                              err);
}

/* One column of rows into their records; one that is not there is left as
 * osw_record_init() made it.
 */
static int read_column(const osw_file_t *f, const struct osw_column *c,
                       uint64_t first, size_t n, void *values,
                       struct osw_record *out, struct osw_error *err)
{
    char path[256];
    size_t bytes;
    hid_t native = osw_file_native_type(c->type, &bytes);

    snprintf(path, sizeof(path), "/results/%s", c->name);
    if (H5Lexists(osw_file_in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    if (osw_file_read_part(f, path, native, f->info.n_results, first, n, values,
                           err))
        return -1;
    for (size_t i = 0; i < n; i++)
        memcpy((char *)&out[i] + c->offset, (const char *)values + i * bytes,
               bytes);
    return 0;
}

int osw_file_records(const osw_file_t *f, uint64_t first, size_t n,
                     struct osw_record *out, struct osw_error *err)
{
    size_t n_columns;
    const struct osw_column *columns = osw_record_columns(&n_columns);
    void *values;
    int rc = 0;

    if (first > f->info.n_results || n > f->info.n_results - first)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has no row %" PRIu64 ", only %" PRIu64 " rows",
                        f->info.path, first + (n ? n - 1 : 0),
                        f->info.n_results);
    values = malloc(n * sizeof(uint64_t) + 1);
    if (!values)
        return osw_file_no_memory(f, err);
    for (size_t i = 0; i < n; i++)
        osw_record_init(&out[i]);
    for (size_t c = 0; c < n_columns && rc == 0; c++)
        rc = read_column(f, &columns[c], first, n, values, out, err);
    free(values);
    for (size_t i = 0; i < n && rc == 0; i++) {
        out[i].reason = osw_file_text(f, OSW_DICT_REASON, out[i].reason_id);
        out[i].output = osw_file_text(f, OSW_DICT_OUTPUT, out[i].output_id);
        out[i].reference =
            osw_file_text(f, OSW_DICT_REFERENCE, out[i].reference_id);
        out[i].baseline =
            osw_file_text(f, OSW_DICT_BASELINE, out[i].baseline_id);
    }
    return rc;
}

int osw_file_samples(const osw_file_t *f, uint64_t first, size_t n, float *out,
                     struct osw_error *err)
{
    if (first > f->info.n_samples || n > f->info.n_samples - first)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has no samples %" PRIu64 " to %" PRIu64
                        ", only %" PRIu64,
                        f->info.path, first, first + n, f->info.n_samples);
    return osw_file_read_part(f, "/samples/t", H5T_NATIVE_FLOAT,
                              f->info.n_samples, first, n, out, err);
}

bool osw_file_has(const osw_file_t *f, const char *path)
{
    return H5Lexists(osw_file_in(f), path, H5P_DEFAULT) > 0;
}

uint64_t osw_file_rows(const osw_file_t *f, const char *group)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/row", group);
    if (H5Lexists(osw_file_in(f), group, H5P_DEFAULT) <= 0 ||
        H5Lexists(osw_file_in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    return osw_file_dataset_length(f, path);
}

int osw_file_values(const osw_file_t *f, const char *path,
                    enum osw_column_type type, uint64_t n, void *out,
                    struct osw_error *err)
{
    size_t bytes;
    hid_t native = osw_file_native_type(type, &bytes);

    return osw_file_read_part(f, path, native, n, 0, (size_t)n, out, err);
}

int osw_file_texts(const osw_file_t *f, const char *path, uint64_t n,
                   const char *const **out, struct osw_error *err)
{
    const char **texts;
    uint64_t found;

    if (osw_file_read_texts(f, path, &texts, &found, err))
        return -1;
    if (found != n)
        return osw_file_bad(f, err, "unexpected length of", path);
    for (uint64_t i = 0; f->rewritten && i < n; i++)
        texts[i] = "";
    *out = texts;
    return 0;
}

int osw_file_attribute(const osw_file_t *f, const char *object,
                       const char *name, const char **out,
                       struct osw_error *err)
{
    return osw_file_read_attr_text(f, object, name, out, err);
}
