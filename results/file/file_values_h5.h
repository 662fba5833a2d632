/* results/file/file_values_h5.h - an open result file, and single values of it
 *
 * Private to results/file/file_h5.c and file_rewrite_h5.c.
 */
#ifndef OSW_RESULTS_FILE_VALUES_H5_H
#define OSW_RESULTS_FILE_VALUES_H5_H

#define H5_USE_110_API
#include <hdf5.h>

#include "common/arena.h"
#include "results/file/file.h"

struct osw_file_dict {
    const char **texts; /* owned by the arena */
    uint32_t n;
};

struct osw_file {
    struct osw_file_info info;
    osw_arena_t *arena;
    const char *opened; /* its path, which info.path may hide */
    hid_t file;
    struct osw_file_dict dict[OSW_DICT_COUNT];
    struct osw_file_device *devices; /* owned by the arena */
    size_t n_devices;
    bool rewritten;
};

/* Fail with "'FILE': WHAT 'NAME'"; without memory.  -1. */
int osw_file_bad(const osw_file_t *f, struct osw_error *err, const char *what,
                 const char *name);

/* Where HDF5 is let at it. */
hid_t osw_file_in(const osw_file_t *f);

int osw_file_no_memory(const osw_file_t *f, struct osw_error *err);

/* Hand over the texts of the dataset or scalar `path`, one after the other; a
 * text is valid during the call, which returns 0 or ends it by -1.
 */
typedef int osw_file_text_f(void *arg, uint64_t i, const char *text,
                            struct osw_error *err);
int osw_file_each_text(const osw_file_t *f, const char *path,
                       osw_file_text_f *take, void *arg,
                       struct osw_error *err) OSW_MUST_CHECK;

/* Texts of the dataset or scalar `path`; *n is their number. */
int osw_file_read_texts(const osw_file_t *f, const char *path,
                        const char ***out, uint64_t *n,
                        struct osw_error *err) OSW_MUST_CHECK;

int osw_file_read_scalar_text(osw_file_t *f, const char *path, const char **out,
                              struct osw_error *err) OSW_MUST_CHECK;

/* An attribute of `object` as n values of a native type. */
int osw_file_read_attr(const osw_file_t *f, const char *object,
                       const char *name, hid_t type, size_t n, void *out,
                       struct osw_error *err) OSW_MUST_CHECK;

int osw_file_read_attr_text(const osw_file_t *f, const char *object,
                            const char *name, const char **out,
                            struct osw_error *err) OSW_MUST_CHECK;

/* Length of a dataset, 0 when it is not there. */
uint64_t osw_file_dataset_length(const osw_file_t *f, const char *path);

hid_t osw_file_native_type(enum osw_column_type type, size_t *bytes);

/* Values first .. first + n - 1 of a dataset of `length` values. */
int osw_file_read_part(const osw_file_t *f, const char *path, hid_t type,
                       uint64_t length, uint64_t first, size_t n, void *out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_FILE_VALUES_H5_H */
