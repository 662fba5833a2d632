/* results/file/store_h5.c - writing one columnar HDF5 file */
#include "results/file/sink_h5.h"

#include <hdf5_hl.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/grow.h"
#include "common/parallel.h"
#include "results/file/footer.h"
#include "results/file/pack.h"
#include "results/file/store.h"
#include "results/file/texts_h5.h"

enum { MAX_PATH = 512, CHUNK = 16384 /* rows */ };

static const unsigned track = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;

struct column {
    hid_t dataset;
    size_t item;    /* bytes of a value */
    size_t chunk_n; /* values of a chunk */
};

struct osw_store {
    char *path;
    struct osw_sink sink; /* where HDF5 writes: fd and first error */
    hid_t file;
    hid_t text_type, text_transfer;
    bool failed;
    struct osw_error err; /* the first failure */
    struct column *columns;
    size_t n_columns, size_columns;
    unsigned n_threads;
};

size_t osw_store_type_bytes(enum osw_store_type type)
{
    static const size_t bytes[] = {
        [OSW_STORE_U8] = 1,  [OSW_STORE_U32] = 4, [OSW_STORE_U64] = 8,
        [OSW_STORE_I32] = 4, [OSW_STORE_I64] = 8, [OSW_STORE_F32] = 4,
        [OSW_STORE_F64] = 8,
    };

    return bytes[type];
}

/* H5T_* are macros for variables, so this cannot be a table. */
static hid_t file_type(enum osw_store_type type)
{
    const hid_t types[] = {
        [OSW_STORE_U8] = H5T_STD_U8LE,    [OSW_STORE_U32] = H5T_STD_U32LE,
        [OSW_STORE_U64] = H5T_STD_U64LE,  [OSW_STORE_I32] = H5T_STD_I32LE,
        [OSW_STORE_I64] = H5T_STD_I64LE,  [OSW_STORE_F32] = H5T_IEEE_F32LE,
        [OSW_STORE_F64] = H5T_IEEE_F64LE,
    };

    return types[type];
}

/* The innermost message of HDF5's error stack: the cause. */
static herr_t last_message(unsigned n, const H5E_error2_t *e, void *arg)
{
    (void)n;
    snprintf(arg, 160, "%s", e->desc ? e->desc : "");
    return 0;
}

static void fail(osw_store_t *s, const char *what, const char *name)
{
    char why[160] = "";

    if (s->failed)
        return;
    s->failed = true;
    if (s->sink.errnum) {
        osw_fail_sys(&s->err, s->sink.errnum, "cannot write '%s'", s->path);
        return;
    }
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, last_message, why);
    osw_fail(&s->err, OSW_SYSTEM, "cannot write '%s': %s '%s'%s%s", s->path,
             what, name, *why ? ": " : "", why);
}

/* Take a status or id of HDF5; a negative one is the end. */
static hid_t check(osw_store_t *s, hid_t rc, const char *what, const char *name)
{
    if (rc < 0 || s->sink.errnum)
        fail(s, what, name);
    return rc;
}

static hid_t open_file(osw_store_t *s, bool again)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t create = H5Pcreate(H5P_FILE_CREATE);
    hid_t file = -1;

    if (access >= 0 && create >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18) >= 0 &&
        H5Pset_link_creation_order(create, track) >= 0 &&
        H5Pset_attr_creation_order(create, track) >= 0 &&
        H5Pset_obj_track_times(create, 0) >= 0 &&
        osw_sink_use(access, &s->sink) == 0)
        file = again ? H5Fopen(s->path, H5F_ACC_RDWR, access)
                     : H5Fcreate(s->path, H5F_ACC_TRUNC, create, access);
    if (access >= 0)
        H5Pclose(access);
    if (create >= 0)
        H5Pclose(create);
    return file;
}

/* File, HDF5's view of it, and the type of all texts. */
static void start(osw_store_t *s, bool again)
{
    int flags = O_RDWR | O_CLOEXEC | (again ? 0 : O_CREAT | O_TRUNC);

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    s->n_threads = osw_parallel_threads();
    s->sink.fd = open(s->path, flags, 0666);
    if (s->sink.fd < 0) {
        s->failed = true;
        osw_fail_sys(&s->err, errno, "cannot write '%s'", s->path);
        return;
    }
    s->file = check(s, open_file(s, again), "cannot open", "/");
    s->text_type = check(s, osw_texts_type(), "no type", "text");
    s->text_transfer = osw_texts_transfer();
}

static osw_store_t *open_store(const char *path, bool again,
                               struct osw_error *err)
{
    osw_store_t *s = calloc(1, sizeof(*s));

    if (s)
        s->path = strdup(path);
    if (!s || !s->path) {
        osw_fail(err, OSW_NO_MEMORY, "no memory to write '%s'", path);
        free(s);
        return NULL;
    }
    s->sink.fd = -1;
    s->file = s->text_type = -1;
    s->text_transfer = H5P_DEFAULT;
    start(s, again);
    if (!s->failed || osw_store_finish(s, err) == 0)
        return s;
    return NULL;
}

osw_store_t *osw_store_create(const char *path, struct osw_error *err)
{
    return open_store(path, false, err);
}

osw_store_t *osw_store_reopen(const char *path, struct osw_error *err)
{
    return open_store(path, true, err);
}

/* The descriptor is ours: append the footer, and check what fsync() and close()
 * return.
 */
static void close_file(osw_store_t *s)
{
    int fd = s->sink.fd;
    int errnum = !s->failed && (osw_footer_append(fd) || fsync(fd)) ? errno : 0;

    if (close(fd) && !errnum)
        errnum = errno;
    if (!errnum || s->failed)
        return;
    s->failed = true;
    osw_fail_sys(&s->err, errnum, "cannot write '%s'", s->path);
}

int osw_store_finish(osw_store_t *s, struct osw_error *err)
{
    int rc = -1;

    for (size_t i = 0; i < s->n_columns; i++)
        check(s, H5Dclose(s->columns[i].dataset), "cannot close", "column");
    if (s->text_type >= 0)
        check(s, H5Tclose(s->text_type), "cannot close", "type");
    check(s, osw_texts_close(s->text_transfer), "cannot close", "properties");
    if (s->file >= 0) {
        check(s, H5Fflush(s->file, H5F_SCOPE_GLOBAL), "cannot flush", "/");
        if (H5Fget_obj_count(s->file, H5F_OBJ_ALL) != 1)
            fail(s, "objects left open in", "/");
        check(s, H5Fclose(s->file), "cannot close", "/");
    }
    if (s->sink.fd >= 0)
        close_file(s);
    if (s->failed)
        osw_fail(err, s->err.status, "%s", s->err.text);
    else
        rc = 0;
    free(s->columns);
    free(s->path);
    free(s);
    return rc;
}

void osw_store_no_memory(osw_store_t *s)
{
    s->failed = true;
    osw_fail(&s->err, OSW_NO_MEMORY, "no memory to write '%s'", s->path);
}

void osw_store_group(osw_store_t *s, const char *path)
{
    hid_t create, group;

    if (s->failed)
        return;
    create = check(s, H5Pcreate(H5P_GROUP_CREATE), "no properties of", path);
    if (s->failed)
        return;
    check(s, H5Pset_link_creation_order(create, track), "no order in", path);
    check(s, H5Pset_attr_creation_order(create, track), "no order in", path);
    check(s, H5Pset_obj_track_times(create, 0), "no times in", path);
    group = H5Gcreate2(s->file, path, H5P_DEFAULT, create, H5P_DEFAULT);
    if (check(s, group, "cannot make group", path) >= 0)
        check(s, H5Gclose(group), "cannot close group", path);
    H5Pclose(create);
}

static void join(char *out, const char *group, const char *name)
{
    snprintf(out, MAX_PATH, "%s/%s", strcmp(group, "/") ? group : "", name);
}

/* Properties of a dataset; chunk_n 0: contiguous.  Text needs the fill that
 * numbers do without.
 */
static hid_t dataset_properties(osw_store_t *s, const char *path,
                                hsize_t chunk_n, bool text)
{
    hid_t p = check(s, H5Pcreate(H5P_DATASET_CREATE), "no properties of", path);

    if (p < 0)
        return p;
    if (H5Pset_attr_creation_order(p, track) < 0 ||
        (!text && H5Pset_fill_time(p, H5D_FILL_TIME_NEVER) < 0) ||
        H5Pset_obj_track_times(p, 0) < 0 ||
        (chunk_n &&
         (H5Pset_chunk(p, 1, &chunk_n) < 0 || H5Pset_shuffle(p) < 0 ||
          H5Pset_deflate(p, OSW_PACK_LEVEL) < 0)))
        fail(s, "no properties of", path);
    return p;
}

/* One dimension of n, or a scalar when n is UINT64_MAX. */
static hid_t make_dataset(osw_store_t *s, const char *path, hid_t type,
                          uint64_t n, hsize_t chunk_n)
{
    hsize_t dims = n;
    hid_t space = n == UINT64_MAX ? H5Screate(H5S_SCALAR)
                                  : H5Screate_simple(1, &dims, NULL);
    hid_t properties =
        dataset_properties(s, path, chunk_n, type == s->text_type);
    hid_t dataset = -1;

    if (check(s, space, "no space for", path) >= 0 && properties >= 0 &&
        !s->failed) {
        dataset = H5Dcreate2(s->file, path, type, space, H5P_DEFAULT,
                             properties, H5P_DEFAULT);
        check(s, dataset, "cannot make dataset", path);
    }
    if (properties >= 0)
        H5Pclose(properties);
    if (space >= 0)
        H5Sclose(space);
    return dataset;
}

static void write_attr(osw_store_t *s, hid_t object, const char *name,
                       hid_t type, size_t n, const void *values)
{
    hsize_t dims = n;
    hid_t space =
        n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, NULL);
    hid_t attr = -1;

    if (check(s, space, "no space for attribute", name) < 0)
        return;
    attr = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (check(s, attr, "cannot make attribute", name) >= 0) {
        check(s, H5Awrite(attr, type, values), "cannot write attribute", name);
        check(s, H5Aclose(attr), "cannot close attribute", name);
    }
    H5Sclose(space);
}

static void write_attr_text(osw_store_t *s, hid_t object, const char *name,
                            const char *text)
{
    write_attr(s, object, name, s->text_type, 1, &text);
}

static void attach_row(osw_store_t *s, const char *group, hid_t dataset,
                       const char *name)
{
    char path[MAX_PATH];
    hid_t row;

    join(path, group, "row");
    row = check(s, H5Dopen2(s->file, path, H5P_DEFAULT), "no rows for", name);
    if (row < 0)
        return;
    check(s, H5DSattach_scale(dataset, row, 0), "cannot attach", name);
    check(s, H5Dclose(row), "cannot close", path);
}

static bool is_table(osw_store_t *s, const char *group)
{
    char path[MAX_PATH];

    join(path, group, "row");
    return H5Lexists(s->file, path, H5P_DEFAULT) > 0;
}

static int add_column(osw_store_t *s, hid_t dataset, size_t item,
                      size_t chunk_n)
{
    struct column *p =
        osw_grow(s->columns, s->n_columns, &s->size_columns, sizeof(*p));

    if (!p) {
        H5Dclose(dataset);
        osw_store_no_memory(s);
        return 0;
    }
    s->columns = p;
    s->columns[s->n_columns] = (struct column){dataset, item, chunk_n};
    return (int)s->n_columns++;
}

int osw_store_column(osw_store_t *s, const char *group,
                     const struct osw_store_column *c, uint64_t n,
                     size_t chunk_n)
{
    size_t item = osw_store_type_bytes(c->type);
    char path[MAX_PATH];
    hid_t dataset;

    if (s->failed)
        return 0;
    if (chunk_n > n)
        chunk_n = (size_t)n;
    join(path, group, c->name);
    dataset = make_dataset(s, path, file_type(c->type), n, chunk_n);
    if (dataset < 0)
        return 0;
    if (c->units)
        write_attr_text(s, dataset, "units", c->units);
    if (c->text)
        write_attr_text(s, dataset, "long_name", c->text);
    if (strcmp(c->name, "row") != 0 && is_table(s, group))
        attach_row(s, group, dataset, c->name);
    return add_column(s, dataset, item, chunk_n);
}

/* One piece on its way into the file. */
struct packed {
    size_t chunk_n, item;
    const struct osw_store_piece *piece;
    unsigned char *out; /* owned; NULL: no memory */
    size_t bytes;
};

static void pack(void *arg, size_t i)
{
    struct packed *p = (struct packed *)arg + i;

    p->out =
        osw_pack(p->piece->data, p->piece->n, p->item, p->chunk_n, &p->bytes);
}

static void write_packed(osw_store_t *s, const struct packed *p)
{
    hsize_t at = p->piece->first;
    hid_t dataset = s->columns[p->piece->column].dataset;

    if (!p->out)
        osw_store_no_memory(s);
    if (s->failed)
        return;
    check(s, H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, &at, p->bytes, p->out),
          "cannot write", "a column");
}

void osw_store_write(osw_store_t *s, const struct osw_store_piece *pieces,
                     size_t n_pieces)
{
    struct packed *packed;

    if (s->failed || n_pieces == 0)
        return;
    packed = calloc(n_pieces, sizeof(*packed));
    if (!packed) {
        osw_store_no_memory(s);
        return;
    }
    for (size_t i = 0; i < n_pieces; i++) {
        packed[i].piece = &pieces[i];
        packed[i].chunk_n = s->columns[pieces[i].column].chunk_n;
        packed[i].item = s->columns[pieces[i].column].item;
    }
    osw_parallel(s->n_threads, n_pieces, pack, packed);
    for (size_t i = 0; i < n_pieces; i++) {
        write_packed(s, &packed[i]);
        free(packed[i].out);
    }
    free(packed);
}

static void write_chunk(osw_store_t *s, int column, uint64_t first, size_t n,
                        const void *data)
{
    struct osw_store_piece piece = {
        .column = column, .first = first, .n = n, .data = data};

    osw_store_write(s, &piece, 1);
}

void osw_store_values(osw_store_t *s, const char *group,
                      const struct osw_store_column *c, uint64_t n,
                      const void *data)
{
    int column = osw_store_column(s, group, c, n, CHUNK);
    size_t item = osw_store_type_bytes(c->type);

    for (uint64_t at = 0; at < n && !s->failed; at += CHUNK)
        write_chunk(s, column, at, n - at < CHUNK ? (size_t)(n - at) : CHUNK,
                    (const char *)data + at * item);
}

void osw_store_table(osw_store_t *s, const char *path, uint64_t n_rows)
{
    static const struct osw_store_column row = {
        .name = "row", .type = OSW_STORE_I64, .units = "1", .text = "row"};
    int64_t numbers[CHUNK];
    int column;

    osw_store_group(s, path);
    column = osw_store_column(s, path, &row, n_rows, CHUNK);
    for (uint64_t at = 0; at < n_rows && !s->failed; at += CHUNK) {
        uint64_t n = n_rows - at < CHUNK ? n_rows - at : CHUNK;

        for (uint64_t i = 0; i < n; i++)
            numbers[i] = (int64_t)(at + i);
        write_chunk(s, column, at, (size_t)n, numbers);
    }
    if (s->failed)
        return;
    check(s, H5DSset_scale(s->columns[column].dataset, "row"),
          "no dimension in", path);
}

void osw_store_text(osw_store_t *s, const char *path, const char *text)
{
    hid_t dataset;

    if (s->failed)
        return;
    dataset = make_dataset(s, path, s->text_type, UINT64_MAX, 0);
    if (dataset < 0)
        return;
    check(s,
          H5Dwrite(dataset, s->text_type, H5S_ALL, H5S_ALL, s->text_transfer,
                   &text),
          "cannot write", path);
    check(s, H5Dclose(dataset), "cannot close", path);
}

int osw_store_texts_column(osw_store_t *s, const char *group, const char *name,
                           const char *text, uint64_t n)
{
    char path[MAX_PATH];
    hid_t dataset;

    if (s->failed)
        return 0;
    join(path, group, name);
    dataset = make_dataset(s, path, s->text_type, n, 0);
    if (dataset < 0)
        return 0;
    if (text)
        write_attr_text(s, dataset, "long_name", text);
    if (is_table(s, group))
        attach_row(s, group, dataset, name);
    else
        check(s, H5DSset_scale(dataset, name), "no dimension for", path);
    return add_column(s, dataset, sizeof(char *), 0);
}

void osw_store_texts_part(osw_store_t *s, int column, uint64_t first,
                          const char *const *texts, size_t n)
{
    hsize_t start = first, count = n;
    hid_t memory, space, dataset;

    if (s->failed || n == 0)
        return;
    dataset = s->columns[column].dataset;
    memory =
        check(s, H5Screate_simple(1, &count, NULL), "no space for", "text");
    space = check(s, H5Dget_space(dataset), "no space of", "text");
    if (memory >= 0 && space >= 0) {
        check(s,
              H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count,
                                  NULL),
              "no place for", "text");
        if (!s->failed)
            check(s,
                  H5Dwrite(dataset, s->text_type, memory, space,
                           s->text_transfer, texts),
                  "cannot write", "text");
    }
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
}

void osw_store_texts(osw_store_t *s, const char *group, const char *name,
                     const char *text, const char *const *texts, uint64_t n)
{
    int column = osw_store_texts_column(s, group, name, text, n);

    osw_store_texts_part(s, column, 0, texts, (size_t)n);
}

static hid_t open_object(osw_store_t *s, const char *object)
{
    if (s->failed)
        return -1;
    return check(s, H5Oopen(s->file, object, H5P_DEFAULT), "no object", object);
}

void osw_store_attr_text(osw_store_t *s, const char *object, const char *name,
                         const char *text)
{
    hid_t o = open_object(s, object);

    if (o < 0)
        return;
    write_attr_text(s, o, name, text ? text : "");
    check(s, H5Oclose(o), "cannot close", object);
}

void osw_store_attr(osw_store_t *s, const char *object, const char *name,
                    enum osw_store_type type, const void *values, size_t n)
{
    hid_t o = open_object(s, object);

    if (o < 0)
        return;
    write_attr(s, o, name, file_type(type), n, values);
    check(s, H5Oclose(o), "cannot close", object);
}
