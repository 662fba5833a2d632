/* results/file/store.h - writing one columnar HDF5 file; the gate is store_h5.c
 *
 * What is written can be read by h5py, netCDF-4 and everything built on them:
 * groups with tables of one-dimensional columns that share the dimension scale
 * "row", V18 format, shuffle + deflate 1, explicit little-endian types,
 * creation order tracked, no time stamps, UTF-8 text of variable length.  The
 * same calls give the same bytes.
 *
 * Sticky like common/wire.h: after the first failure every call is a no-op,
 * and osw_store_finish() tells.  One thread calls; compression takes more.
 */
#ifndef OSW_RESULTS_STORE_H
#define OSW_RESULTS_STORE_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Types of columns and attributes, as in memory and in the file. */
enum osw_store_type {
    OSW_STORE_U8,
    OSW_STORE_U32,
    OSW_STORE_U64,
    OSW_STORE_I32,
    OSW_STORE_I64,
    OSW_STORE_F32,
    OSW_STORE_F64,
};

size_t osw_store_type_bytes(enum osw_store_type type);

struct osw_store_column {
    const char *name;
    enum osw_store_type type;
    const char *units;
    const char *text; /* long_name */
};

/* A part of a column: values first .. first + n - 1, within one chunk and
 * from its start; a shorter one only at the column's end.
 */
struct osw_store_piece {
    int column; /* as returned by osw_store_column() */
    uint64_t first;
    size_t n;
    const void *data; /* [n] */
};

typedef struct osw_store osw_store_t;

/* Make the file `path`, replacing any.  Returns a store that the caller owns,
 * or NULL with err set.
 */
osw_store_t *osw_store_create(const char *path,
                              struct osw_error *err) OSW_MUST_CHECK;

/* Go on with a file that was finished: tables are added to it, nothing in it
 * changes.  Likewise.
 */
osw_store_t *osw_store_reopen(const char *path,
                              struct osw_error *err) OSW_MUST_CHECK;

/* Close everything and fsync.  Frees the store.  Returns 0, or -1 with err set
 * to the first failure since create; the file is unusable then.
 */
int osw_store_finish(osw_store_t *store, struct osw_error *err) OSW_MUST_CHECK;

/* The caller ran out of memory: the file cannot become whole. */
void osw_store_no_memory(osw_store_t *store);

/* A group: its parent is there already. */
void osw_store_group(osw_store_t *store, const char *path);

/* A group with a dimension scale "row" of n rows, for columns. */
void osw_store_table(osw_store_t *store, const char *path, uint64_t n_rows);

/* A column of n values in the group `group`, in chunks of chunk_n; when the
 * group is a table, n is its number of rows.  Returns its handle.
 */
int osw_store_column(osw_store_t *store, const char *group,
                     const struct osw_store_column *column, uint64_t n,
                     size_t chunk_n);

/* Write pieces of columns, compressed on all cores, in the order given. */
void osw_store_write(osw_store_t *store, const struct osw_store_piece *pieces,
                     size_t n_pieces);

/* Column and values at once, for short ones. */
void osw_store_values(osw_store_t *store, const char *group,
                      const struct osw_store_column *column, uint64_t n,
                      const void *data);

/* A text: a scalar dataset. */
void osw_store_text(osw_store_t *store, const char *path, const char *text);

/* n texts in `group`; in a table they share its rows, elsewhere they are a
 * dimension of their own.
 */
void osw_store_texts(osw_store_t *store, const char *group, const char *name,
                     const char *text, const char *const *texts, uint64_t n);

/* The same in parts: the dataset, whose handle is returned, and its texts first
 * .. first + n - 1.
 */
int osw_store_texts_column(osw_store_t *store, const char *group,
                           const char *name, const char *text, uint64_t n);
void osw_store_texts_part(osw_store_t *store, int column, uint64_t first,
                          const char *const *texts, size_t n);

/* Attributes of a group or dataset ("/" is the file). */
void osw_store_attr_text(osw_store_t *store, const char *object,
                         const char *name, const char *text);
void osw_store_attr(osw_store_t *store, const char *object, const char *name,
                    enum osw_store_type type, const void *values, size_t n);

#endif /* OSW_RESULTS_STORE_H */
