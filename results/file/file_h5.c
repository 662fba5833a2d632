/* results/file/file_h5.c - reading a sealed result file */
#define H5_USE_110_API
#include <hdf5.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/arena.h"
#include "common/guard.h"
#include "results/file/file.h"
#include "results/file/footer.h"
#include "results/file/seal.h"

enum { MAX_TEXTS = 1 << 30, MAX_DEVICES = 1 << 20 };

struct dict {
    const char **texts; /* owned by the arena */
    uint32_t n;
};

struct osw_file {
    struct osw_file_info info;
    osw_arena_t *arena;
    const char *opened; /* its path, which info.path may hide */
    hid_t file;
    struct dict dict[OSW_DICT_COUNT];
    struct osw_file_device *devices; /* owned by the arena */
    size_t n_devices;
    bool rewritten;
};

static int bad(const osw_file_t *f, struct osw_error *err, const char *what,
               const char *name)
{
    return osw_fail(err, OSW_BAD_INPUT, "'%s': %s '%s'", f->info.path, what,
                    name);
}

/* Where HDF5 is let at it. */
static hid_t in(const osw_file_t *f)
{
    osw_guard_read(f->opened);
    return f->file;
}

static int no_memory(const osw_file_t *f, struct osw_error *err)
{
    return osw_fail(err, OSW_NO_MEMORY, "no memory to read '%s'", f->info.path);
}

/* Number of values of a dataset or attribute of at most one dimension. */
static int count_values(hid_t space, uint64_t *n)
{
    hssize_t count = space < 0 ? -1 : H5Sget_simple_extent_npoints(space);
    int rank = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);

    if (space >= 0)
        H5Sclose(space);
    if (count < 0 || rank < 0 || rank > 1)
        return -1;
    *n = (uint64_t)count;
    return 0;
}

static bool is_text(hid_t type)
{
    return type >= 0 && H5Tget_class(type) == H5T_STRING &&
           H5Tis_variable_str(type) > 0;
}

static hid_t text_type(void)
{
    hid_t t = H5Tcopy(H5T_C_S1);

    if (t >= 0 && (H5Tset_size(t, H5T_VARIABLE) < 0 ||
                   H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
        H5Tclose(t);
        return -1;
    }
    return t;
}

/* Move n texts of HDF5's memory into the arena. */
static int adopt_texts(const osw_file_t *f, char **texts, size_t n,
                       const char **out)
{
    int rc = 0;

    for (size_t i = 0; i < n; i++) {
        out[i] = osw_arena_strdup(f->arena, texts[i] ? texts[i] : "");
        if (!out[i])
            rc = -1;
        H5free_memory(texts[i]);
    }
    return rc;
}

/* Texts of the dataset or scalar `path`; *n is their number. */
static int read_texts(const osw_file_t *f, const char *path, const char ***out,
                      uint64_t *n, struct osw_error *err)
{
    hid_t dataset = H5Dopen2(in(f), path, H5P_DEFAULT);
    hid_t type = -1, memory = -1;
    char **texts = NULL;
    int rc = -1;

    if (dataset < 0)
        return bad(f, err, "no dataset", path);
    type = H5Dget_type(dataset);
    memory = text_type();
    if (!is_text(type) || memory < 0 ||
        count_values(H5Dget_space(dataset), n) || *n > MAX_TEXTS) {
        bad(f, err, "no texts in", path);
        goto out;
    }
    texts = calloc(*n + 1, sizeof(*texts));
    *out = osw_arena_array(f->arena, *n + 1, sizeof(**out));
    if (!texts || !*out)
        no_memory(f, err);
    else if (*n &&
             H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0)
        bad(f, err, "cannot read", path);
    else if (adopt_texts(f, texts, *n, *out))
        no_memory(f, err);
    else
        rc = 0;
out:
    free(texts);
    if (type >= 0)
        H5Tclose(type);
    if (memory >= 0)
        H5Tclose(memory);
    H5Dclose(dataset);
    return rc;
}

static int read_scalar_text(osw_file_t *f, const char *path, const char **out,
                            struct osw_error *err)
{
    const char **texts;
    uint64_t n;

    if (read_texts(f, path, &texts, &n, err))
        return -1;
    if (n != 1)
        return bad(f, err, "expected one text in", path);
    *out = texts[0];
    return 0;
}

/* An attribute of `object` as n values of a native type. */
static int read_attr(const osw_file_t *f, const char *object, const char *name,
                     hid_t type, size_t n, void *out, struct osw_error *err)
{
    hid_t attr = H5Aopen_by_name(in(f), object, name, H5P_DEFAULT, H5P_DEFAULT);
    uint64_t found = 0;
    int rc = -1;

    if (attr < 0)
        return bad(f, err, "no attribute", name);
    if (count_values(H5Aget_space(attr), &found) || found != n ||
        H5Aread(attr, type, out) < 0)
        bad(f, err, "cannot read attribute", name);
    else
        rc = 0;
    H5Aclose(attr);
    return rc;
}

static int read_attr_text(const osw_file_t *f, const char *object,
                          const char *name, const char **out,
                          struct osw_error *err)
{
    hid_t memory = text_type();
    hid_t attr = -1, type = -1;
    char *text = NULL;
    int rc = -1;

    attr = H5Aopen_by_name(in(f), object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attr >= 0)
        type = H5Aget_type(attr);
    if (memory < 0 || attr < 0)
        bad(f, err, "no attribute", name);
    else if (!is_text(type) ||
             read_attr(f, object, name, memory, 1, &text, err))
        bad(f, err, "no text in attribute", name);
    else
        rc = adopt_texts(f, &text, 1, out) ? no_memory(f, err) : 0;
    if (type >= 0)
        H5Tclose(type);
    if (attr >= 0)
        H5Aclose(attr);
    if (memory >= 0)
        H5Tclose(memory);
    return rc;
}

/* Is it ours, and of a version that can be read? */
static int check_schema(osw_file_t *f, struct osw_error *err)
{
    struct osw_error why = OSW_ERROR_INIT;
    const char *schema;

    if (read_attr_text(f, "/", "schema", &schema, &why) ||
        strcmp(schema, OSW_SEAL_SCHEMA) != 0)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is no result file: attribute 'schema' is not "
                        "'%s'",
                        f->info.path, OSW_SEAL_SCHEMA);
    if (read_attr(f, "/", "schema_version", H5T_NATIVE_INT32, 2,
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
        if (read_attr_text(f, texts[k].object, texts[k].name, texts[k].out,
                           err))
            return -1;
    if (read_attr(f, "/", "complete", H5T_NATIVE_UINT8, 1, &complete, err) ||
        read_attr(f, "/", "n_planned", H5T_NATIVE_UINT64, 1, &i->n_planned,
                  err) ||
        read_attr(f, "/", "n_results", H5T_NATIVE_UINT64, 1, &i->n_results,
                  err) ||
        read_attr(f, "/", "seed", H5T_NATIVE_UINT64, 1, &i->seed, err) ||
        read_attr(f, "/", "mpi_size", H5T_NATIVE_UINT32, 1, &i->mpi_size, err))
        return -1;
    i->complete = complete != 0;
    if (read_scalar_text(f, "/campaign/json", &i->campaign_json, err) ||
        read_scalar_text(f, "/campaign/resolved", &i->campaign_resolved, err))
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
        if (d > OSW_DICT_BASELINE && H5Lexists(in(f), path, H5P_DEFAULT) <= 0)
            continue; /* the file is older than the dictionary */
        if (read_texts(f, path, &f->dict[d].texts, &n, err))
            return -1;
        f->dict[d].n = (uint32_t)n;
    }
    return 0;
}

/* Length of a dataset, 0 when it is not there. */
static uint64_t dataset_length(const osw_file_t *f, const char *path)
{
    hid_t dataset = H5Dopen2(in(f), path, H5P_DEFAULT);
    uint64_t n = 0;

    if (dataset < 0)
        return 0;
    if (count_values(H5Dget_space(dataset), &n))
        n = 0;
    H5Dclose(dataset);
    return n;
}

static int check_lengths(osw_file_t *f, struct osw_error *err)
{
    uint64_t n = f->info.n_results;

    f->info.n_samples = dataset_length(f, "/samples/t");
    if (n > OSW_FILE_MAX_ROWS)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' has %" PRIu64 " results, at most %d",
                        f->info.path, n, OSW_FILE_MAX_ROWS);
    if (dataset_length(f, "/results/cell") != n)
        return osw_fail(err, OSW_BAD_INPUT,
                        "'%s' is damaged: /results/cell has %" PRIu64
                        " values, attribute 'n_results' says %" PRIu64,
                        f->info.path, dataset_length(f, "/results/cell"), n);
    return 0;
}

static hid_t native_type(enum osw_column_type type, size_t *bytes)
{
    const struct {
        hid_t type;
        size_t bytes;
    } types[] = {
        [OSW_COLUMN_u8] = {H5T_NATIVE_UINT8, 1},
        [OSW_COLUMN_u32] = {H5T_NATIVE_UINT32, 4},
        [OSW_COLUMN_u64] = {H5T_NATIVE_UINT64, 8},
        [OSW_COLUMN_i32] = {H5T_NATIVE_INT32, 4},
        [OSW_COLUMN_i64] = {H5T_NATIVE_INT64, 8},
        [OSW_COLUMN_f64] = {H5T_NATIVE_DOUBLE, 8},
    };

    *bytes = types[type].bytes;
    return types[type].type;
}

/* Values first .. first + n - 1 of a dataset of `length` values. */
static int read_part(const osw_file_t *f, const char *path, hid_t type,
                     uint64_t length, uint64_t first, size_t n, void *out,
                     struct osw_error *err)
{
    hsize_t start = first, count = n;
    hid_t dataset, space = -1, memory = -1;
    uint64_t found;
    int rc = -1;

    if (n == 0)
        return 0;
    dataset = H5Dopen2(in(f), path, H5P_DEFAULT);
    if (dataset < 0)
        return bad(f, err, "no dataset", path);
    if (count_values(H5Dget_space(dataset), &found) || found != length) {
        bad(f, err, "unexpected length of", path);
        goto out;
    }
    space = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &count, NULL);
    if (space < 0 || memory < 0 ||
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) <
            0 ||
        H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) < 0)
        bad(f, err, "damaged dataset", path);
    else
        rc = 0;
out:
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    H5Dclose(dataset);
    return rc;
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
    hid_t native = native_type(type, &bytes);

    snprintf(path, sizeof(path), "/devices/%s", name);
    if (H5Lexists(in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    if (text_size) {
        if (read_texts(f, path, &texts, &n, err) || n != f->n_devices)
            return bad(f, err, "unexpected length of", path);
    } else {
        values = osw_arena_array(f->arena, f->n_devices + 1, bytes);
        if (!values)
            return no_memory(f, err);
        if (read_part(f, path, native, n, 0, n, values, err))
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
    uint64_t n = dataset_length(f, "/devices/rank");

    if (n > MAX_DEVICES)
        return bad(f, err, "too many rows in", "/devices");
    f->n_devices = (size_t)n;
    f->devices =
        osw_arena_array(f->arena, f->n_devices + 1, sizeof(*f->devices));
    if (!f->devices)
        return no_memory(f, err);
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

/* What it is besides a file, in words. */
static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a folder"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

/* Damage is to be found by us: HDF5 may crash over it. */
static int check_bytes(const osw_file_t *f, struct osw_error *err)
{
    const char *path = f->info.path;
    /* Without waiting for who would write into a pipe. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    int rc;

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

osw_file_t *osw_file_open(const char *path, struct osw_error *err)
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
        read_dicts(f, err) || check_lengths(f, err) || read_devices(f, err))
        goto fail;
    return f;
fail:
    osw_file_close(f);
    return NULL;
}

void osw_file_close(osw_file_t *f)
{
    if (!f)
        return;
    if (f->file >= 0)
        H5Fclose(in(f));
    osw_arena_destroy(f->arena);
    free(f);
}

int osw_file_set_name(osw_file_t *f, const char *path, struct osw_error *err)
{
    const char *copy = osw_arena_strdup(f->arena, path);

    if (!copy)
        return no_memory(f, err);
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

/* How texts are rewritten. */
struct rewriting {
    osw_file_t *file;
    osw_file_rewrite_f f;
    void *arg;
    struct osw_error *err;
};

static int rewrite_text(const struct rewriting *w, enum osw_file_words kind,
                        const char **text)
{
    const char *now = w->f(w->arg, kind, *text);

    if (now && now != *text)
        now = osw_arena_strdup(w->file->arena, now);
    if (!now)
        return no_memory(w->file, w->err);
    *text = now;
    return 0;
}

static int rewrite_device(const struct rewriting *w,
                          struct osw_device_info *info)
{
    size_t n;
    const struct osw_device_column *c = osw_device_info_columns(&n);

    for (size_t i = 0; i < n; i++) {
        char *text = (char *)info + c[i].offset;
        bool words =
            strcmp(c[i].name, "notes") == 0 || strcmp(c[i].name, "health") == 0;
        const char *now = text;

        if (c[i].size)
            now = w->f(w->arg, words ? OSW_FILE_PROSE : OSW_FILE_NAME, text);
        if (!now)
            return no_memory(w->file, w->err);
        if (now != text)
            snprintf(text, c[i].size, "%s", now);
    }
    return 0;
}

static int rewrite_dict(const struct rewriting *w, enum osw_dict d)
{
    enum osw_file_words kind = d == OSW_DICT_HOST ? OSW_FILE_HOST
                               : d == OSW_DICT_REASON || d == OSW_DICT_OUTPUT
                                   ? OSW_FILE_PROSE
                                   : OSW_FILE_NAME;
    struct dict *dict = &w->file->dict[d];

    for (uint32_t k = 0; k < dict->n; k++)
        if (rewrite_text(w, kind, &dict->texts[k]))
            return -1;
    return 0;
}

int osw_file_rewrite(osw_file_t *f, osw_file_rewrite_f rewrite, void *arg,
                     struct osw_error *err)
{
    const struct rewriting w = {f, rewrite, arg, err};
    struct osw_file_info *i = &f->info;
    const struct {
        enum osw_file_words kind;
        const char **text;
    } texts[] = {
        {OSW_FILE_PATH, &i->path},
        {OSW_FILE_PATH, &i->campaign_path},
        {OSW_FILE_HOST, &i->hostname},
        {OSW_FILE_NAME, &i->run_uuid},
        {OSW_FILE_NAME, &i->tool_version},
        {OSW_FILE_NAME, &i->profile},
        {OSW_FILE_PROSE, &i->command_line},
        {OSW_FILE_PROSE, &i->campaign_json},
        {OSW_FILE_PROSE, &i->campaign_resolved},
    };

    f->rewritten = true;
    for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++)
        if (rewrite_text(&w, texts[k].kind, texts[k].text))
            return -1;
    for (size_t k = 0; k < f->n_devices; k++)
        if (rewrite_device(&w, &f->devices[k].info))
            return -1;
    for (int d = 0; d < OSW_DICT_COUNT; d++)
        if (!osw_dict_fixed((enum osw_dict)d) &&
            rewrite_dict(&w, (enum osw_dict)d))
            return -1;
    return 0;
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
    char path[256];
    size_t bytes;
    hid_t native = native_type(type, &bytes);

    snprintf(path, sizeof(path), "/results/%s", name);
    return read_part(f, path, native, f->info.n_results, 0,
                     (size_t)f->info.n_results, out, err);
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
    hid_t native = native_type(c->type, &bytes);

    snprintf(path, sizeof(path), "/results/%s", c->name);
    if (H5Lexists(in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    if (read_part(f, path, native, f->info.n_results, first, n, values, err))
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
        return no_memory(f, err);
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
    return read_part(f, "/samples/t", H5T_NATIVE_FLOAT, f->info.n_samples,
                     first, n, out, err);
}

uint64_t osw_file_rows(const osw_file_t *f, const char *group)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/row", group);
    if (H5Lexists(in(f), group, H5P_DEFAULT) <= 0 ||
        H5Lexists(in(f), path, H5P_DEFAULT) <= 0)
        return 0;
    return dataset_length(f, path);
}

int osw_file_values(const osw_file_t *f, const char *path,
                    enum osw_column_type type, uint64_t n, void *out,
                    struct osw_error *err)
{
    size_t bytes;
    hid_t native = native_type(type, &bytes);

    return read_part(f, path, native, n, 0, (size_t)n, out, err);
}

int osw_file_texts(const osw_file_t *f, const char *path, uint64_t n,
                   const char *const **out, struct osw_error *err)
{
    const char **texts;
    uint64_t found;

    if (read_texts(f, path, &texts, &found, err))
        return -1;
    if (found != n)
        return bad(f, err, "unexpected length of", path);
    for (uint64_t i = 0; f->rewritten && i < n; i++)
        texts[i] = "";
    *out = texts;
    return 0;
}

int osw_file_attribute(const osw_file_t *f, const char *object,
                       const char *name, const char **out,
                       struct osw_error *err)
{
    return read_attr_text(f, object, name, out, err);
}
