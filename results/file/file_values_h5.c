/* results/file/file_values_h5.c - single values of an open result file */
#include "results/file/file_values_h5.h"

#include <stdlib.h>
#include <string.h>

#include "common/guard.h"
#include "results/file/texts_h5.h"

enum { MAX_TEXTS = 1 << 30, STRIP = 4096 /* of them at a time */ };

int osw_file_bad(const osw_file_t *f, struct osw_error *err, const char *what,
                 const char *name)
{
    return osw_fail(err, OSW_BAD_INPUT, "'%s': %s '%s'", f->info.path, what,
                    name);
}

hid_t osw_file_in(const osw_file_t *f)
{
    osw_guard_read(f->opened);
    return f->file;
}

int osw_file_no_memory(const osw_file_t *f, struct osw_error *err)
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

/* A dataset of texts that is being read. */
struct texts {
    hid_t dataset, memory, transfer;
    uint64_t n;
    bool scalar;
};

static int open_texts(const osw_file_t *f, const char *path, struct texts *t,
                      struct osw_error *err)
{
    hid_t space = -1, type = -1;
    bool good;

    *t = (struct texts){.dataset = H5Dopen2(osw_file_in(f), path, H5P_DEFAULT),
                        .memory = osw_texts_type(),
                        .transfer = osw_texts_transfer()};
    if (t->dataset < 0)
        return osw_file_bad(f, err, "no dataset", path);
    type = H5Dget_type(t->dataset);
    space = H5Dget_space(t->dataset);
    t->scalar = space >= 0 && H5Sget_simple_extent_ndims(space) == 0;
    good = is_text(type) && t->memory >= 0 && count_values(space, &t->n) == 0 &&
           t->n <= MAX_TEXTS;
    if (type >= 0)
        H5Tclose(type);
    return good ? 0 : osw_file_bad(f, err, "no texts in", path);
}

static void close_texts(const struct texts *t)
{
    if (t->memory >= 0)
        H5Tclose(t->memory);
    osw_texts_close(t->transfer);
    if (t->dataset >= 0)
        H5Dclose(t->dataset);
}

/* Texts first .. first + n - 1, which are HDF5's and to be freed one by one. */
static int read_strip(const struct texts *t, uint64_t first, size_t n,
                      char **out)
{
    hsize_t start = first, count = n;
    hid_t space, memory;
    herr_t rc = -1;

    if (t->scalar)
        return H5Dread(t->dataset, t->memory, H5S_ALL, H5S_ALL, t->transfer,
                       out) < 0
                   ? -1
                   : 0;
    space = H5Dget_space(t->dataset);
    memory = H5Screate_simple(1, &count, NULL);
    if (space >= 0 && memory >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count,
                            NULL) >= 0)
        rc = H5Dread(t->dataset, t->memory, memory, space, t->transfer, out);
    if (space >= 0)
        H5Sclose(space);
    if (memory >= 0)
        H5Sclose(memory);
    return rc < 0 ? -1 : 0;
}

int osw_file_each_text(const osw_file_t *f, const char *path,
                       osw_file_text_f *take, void *arg, struct osw_error *err)
{
    struct texts t;
    char *strip[STRIP];
    int rc = open_texts(f, path, &t, err);

    for (uint64_t at = 0; rc == 0 && at < t.n; at += STRIP) {
        size_t n = t.n - at < STRIP ? (size_t)(t.n - at) : STRIP;

        memset(strip, 0, sizeof(strip));
        if (read_strip(&t, at, n, strip) < 0)
            rc = osw_file_bad(f, err, "cannot read", path);
        for (size_t i = 0; i < n; i++) {
            if (rc == 0)
                rc = take(arg, at + i, strip[i] ? strip[i] : "", err);
            H5free_memory(strip[i]);
        }
    }
    close_texts(&t);
    return rc;
}

static int count_texts(const osw_file_t *f, const char *path, uint64_t *n,
                       struct osw_error *err)
{
    struct texts t;
    int rc = open_texts(f, path, &t, err);

    *n = t.n;
    close_texts(&t);
    return rc;
}

/* Texts on their way into the arena. */
struct adopting {
    const osw_file_t *f;
    const char **out;
};

static int adopt_text(void *arg, uint64_t i, const char *text,
                      struct osw_error *err)
{
    struct adopting *a = arg;

    a->out[i] = osw_arena_strdup(a->f->arena, text);
    return a->out[i] ? 0 : osw_file_no_memory(a->f, err);
}

int osw_file_read_texts(const osw_file_t *f, const char *path,
                        const char ***out, uint64_t *n, struct osw_error *err)
{
    struct adopting adopting = {.f = f};

    if (count_texts(f, path, n, err) < 0)
        return -1;
    adopting.out =
        osw_arena_array(f->arena, (size_t)*n + 1, sizeof(*adopting.out));
    if (!adopting.out)
        return osw_file_no_memory(f, err);
    *out = adopting.out;
    return osw_file_each_text(f, path, adopt_text, &adopting, err);
}

int osw_file_read_scalar_text(osw_file_t *f, const char *path, const char **out,
                              struct osw_error *err)
{
    const char **texts;
    uint64_t n;

    if (osw_file_read_texts(f, path, &texts, &n, err))
        return -1;
    if (n != 1)
        return osw_file_bad(f, err, "expected one text in", path);
    *out = texts[0];
    return 0;
}

int osw_file_read_attr(const osw_file_t *f, const char *object,
                       const char *name, hid_t type, size_t n, void *out,
                       struct osw_error *err)
{
    hid_t attr =
        H5Aopen_by_name(osw_file_in(f), object, name, H5P_DEFAULT, H5P_DEFAULT);
    uint64_t found = 0;
    int rc = -1;

    if (attr < 0)
        return osw_file_bad(f, err, "no attribute", name);
    if (count_values(H5Aget_space(attr), &found) || found != n ||
        H5Aread(attr, type, out) < 0)
        osw_file_bad(f, err, "cannot read attribute", name);
    else
        rc = 0;
    H5Aclose(attr);
    return rc;
}

int osw_file_read_attr_text(const osw_file_t *f, const char *object,
                            const char *name, const char **out,
                            struct osw_error *err)
{
    hid_t memory = osw_texts_type();
    hid_t attr = -1, type = -1;
    char *text = NULL;
    int rc = -1;

    attr =
        H5Aopen_by_name(osw_file_in(f), object, name, H5P_DEFAULT, H5P_DEFAULT);
    if (attr >= 0)
        type = H5Aget_type(attr);
    if (memory < 0 || attr < 0)
        osw_file_bad(f, err, "no attribute", name);
    else if (!is_text(type) ||
             osw_file_read_attr(f, object, name, memory, 1, &text, err))
        osw_file_bad(f, err, "no text in attribute", name);
    else
        rc = adopt_text(&(struct adopting){f, out}, 0, text ? text : "", err);
    H5free_memory(text);
    if (type >= 0)
        H5Tclose(type);
    if (attr >= 0)
        H5Aclose(attr);
    if (memory >= 0)
        H5Tclose(memory);
    return rc;
}

uint64_t osw_file_dataset_length(const osw_file_t *f, const char *path)
{
    hid_t dataset = H5Dopen2(osw_file_in(f), path, H5P_DEFAULT);
    uint64_t n = 0;

    if (dataset < 0)
        return 0;
    if (count_values(H5Dget_space(dataset), &n))
        n = 0;
    H5Dclose(dataset);
    return n;
}

hid_t osw_file_native_type(enum osw_column_type type, size_t *bytes)
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

int osw_file_read_part(const osw_file_t *f, const char *path, hid_t type,
                       uint64_t length, uint64_t first, size_t n, void *out,
                       struct osw_error *err)
{
    hsize_t start = first, count = n;
    hid_t dataset, space = -1, memory = -1;
    uint64_t found;
    int rc = -1;

    if (n == 0)
        return 0;
    dataset = H5Dopen2(osw_file_in(f), path, H5P_DEFAULT);
    if (dataset < 0)
        return osw_file_bad(f, err, "no dataset", path);
    if (count_values(H5Dget_space(dataset), &found) || found != length) {
        osw_file_bad(f, err, "unexpected length of", path);
        goto out;
    }
    space = H5Dget_space(dataset);
    memory = H5Screate_simple(1, &count, NULL);
    if (space < 0 || memory < 0 ||
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) <
            0 ||
        H5Dread(dataset, type, memory, space, H5P_DEFAULT, out) < 0)
        osw_file_bad(f, err, "damaged dataset", path);
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
