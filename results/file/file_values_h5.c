/* results/file/file_values_h5.c - single values of an open result file */
#include "results/file/file_values_h5.h"

#include <stdlib.h>
#include <string.h>

#include "common/guard.h"

enum { MAX_TEXTS = 1 << 30 };

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

int osw_file_read_texts(const osw_file_t *f, const char *path,
                        const char ***out, uint64_t *n, struct osw_error *err)
{
    hid_t dataset = H5Dopen2(osw_file_in(f), path, H5P_DEFAULT);
    hid_t type = -1, memory = -1;
    char **texts = NULL;
    int rc = -1;

    if (dataset < 0)
        return osw_file_bad(f, err, "no dataset", path);
    type = H5Dget_type(dataset);
    memory = text_type();
    if (!is_text(type) || memory < 0 ||
        count_values(H5Dget_space(dataset), n) || *n > MAX_TEXTS) {
        osw_file_bad(f, err, "no texts in", path);
        goto out;
    }
    texts = calloc(*n + 1, sizeof(*texts));
    *out = osw_arena_array(f->arena, *n + 1, sizeof(**out));
    if (!texts || !*out)
        osw_file_no_memory(f, err);
    else if (*n &&
             H5Dread(dataset, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) < 0)
        osw_file_bad(f, err, "cannot read", path);
    else if (adopt_texts(f, texts, *n, *out))
        osw_file_no_memory(f, err);
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
    hid_t memory = text_type();
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
        rc = adopt_texts(f, &text, 1, out) ? osw_file_no_memory(f, err) : 0;
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
