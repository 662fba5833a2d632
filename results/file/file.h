/* results/file/file.h - reading a sealed result file; the gate is file_h5.c
 *
 * A file of another schema, of another major version, cut off or damaged gives
 * OSW_BAD_INPUT with the file's name.  Columns that this program does not know
 * are ignored; known ones that are not there read as missing.
 *
 * Upstream: seal.c wrote it.  Downstream: report, show, compare.
 */
#ifndef OSW_RESULTS_FILE_H
#define OSW_RESULTS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/record/device_info.h"
#include "ops/record/record.h"
#include "ops/record/state.h"
#include "results/journal/dict.h"

enum { OSW_FILE_MAX_ROWS = 1 << 30 };

/* The part of a campaign that a file is. */
struct osw_file_shard {
    uint32_t index;   /* from 1; 0: several were merged, and some are missing */
    uint32_t n;       /* shards of the campaign; 0: the file is a whole one */
    uint64_t n_cells; /* of the campaign */
    const char *sha256; /* the same for all of its shards; "": none */
};

/* Root attributes.  Texts are borrowed for the life of the file, never NULL. */
struct osw_file_info {
    const char *path;
    int32_t version[2]; /* major, minor of the schema */
    const char *run_uuid;
    const char *created_utc, *sealed_utc;
    bool complete;
    uint64_t n_planned;
    uint64_t n_results; /* rows of /results */
    uint64_t n_samples; /* values of /samples/t */
    const char *campaign_sha256;
    const char *campaign_path;
    const char *campaign_json;     /* verbatim */
    const char *campaign_resolved; /* JSON */
    const char *tool_version;
    const char *command_line;
    const char *hostname;
    const char *profile;
    uint64_t seed;
    uint32_t mpi_size;
    struct osw_file_shard shard;
};

/* A row of /devices. */
struct osw_file_device {
    int32_t rank;
    uint32_t host_id, device_id; /* in /dict */
    struct osw_device_info info;
};

typedef struct osw_file osw_file_t;

/* Open and check a file, and read its attributes and dictionaries.  Returns a
 * file that the caller owns, or NULL with err set: OSW_BAD_INPUT,
 * OSW_NO_MEMORY.
 */
osw_file_t *osw_file_open(const char *path,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The same without the texts of dictionaries, which may take more memory than
 * all else: they are "?".
 */
osw_file_t *osw_file_open_bare(const char *path,
                               struct osw_error *err) OSW_MUST_CHECK;

/* Does a dictionary of the file, also of a bare one, consist of the same texts?
 * Returns 0, or -1 with err set.
 */
int osw_file_check_dict(const osw_file_t *file, enum osw_dict dict,
                        const osw_dicts_t *dicts,
                        struct osw_error *err) OSW_MUST_CHECK;
void osw_file_close(osw_file_t *file); /* NULL is ignored */

const struct osw_file_info *osw_file_info(const osw_file_t *file);

/* Call it `path` from here on, in info and in messages.  0, or -1 with err set
 * (OSW_NO_MEMORY).
 */
int osw_file_set_name(osw_file_t *file, const char *path,
                      struct osw_error *err) OSW_MUST_CHECK;

/* Entries of /dict; "?" for an id that is not there.  Borrowed. */
uint32_t osw_file_dict_count(const osw_file_t *file, enum osw_dict dict);
const char *osw_file_text(const osw_file_t *file, enum osw_dict dict,
                          uint32_t id);

/* What workers computed on, and what was left out; [*n], borrowed.  Columns
 * that the file is too old for read as missing.
 */
const struct osw_file_device *osw_file_devices(const osw_file_t *file,
                                               size_t *n);

/* What a text may hold: a name of ours or of an op, a host, a file's name, or
 * words (reasons, output, command lines).
 */
enum osw_file_words {
    OSW_FILE_NAME,
    OSW_FILE_HOST,
    OSW_FILE_PATH,
    OSW_FILE_PROSE,
};

/* Replace texts in memory by what f() makes of them: those of info, of
 * devices, and of dictionaries that no table fixes.  f() returns `text` itself
 * to keep it, a text that is copied, or NULL when it ran out of memory.  Those
 * that osw_file_texts() reads afterwards are "": f() did not see them.
 * Returns 0, or -1 with err set.
 */
typedef const char *(*osw_file_rewrite_f)(void *arg, enum osw_file_words kind,
                                          const char *text);
int osw_file_rewrite(osw_file_t *file, osw_file_rewrite_f f, void *arg,
                     struct osw_error *err) OSW_MUST_CHECK;

/* A whole column of /results into out[n_results], as `type`; n of its rows from
 * the first on.  Returns 0, or -1 with err set: no such column, or it cannot be
 * read.
 */
int osw_file_column(const osw_file_t *file, const char *name,
                    enum osw_column_type type, void *out,
                    struct osw_error *err) OSW_MUST_CHECK;
int osw_file_column_part(const osw_file_t *file, const char *name,
                         enum osw_column_type type, uint64_t first, size_t n,
                         void *out, struct osw_error *err) OSW_MUST_CHECK;

/* Rows first .. first + n - 1 into out[n]; the texts reason, output, reference
 * and baseline are borrowed from the file, samples is NULL.  A multiple of
 * 16384 rows at a time is fastest.
 */
int osw_file_records(const osw_file_t *file, uint64_t first, size_t n,
                     struct osw_record *out,
                     struct osw_error *err) OSW_MUST_CHECK;

/* n samples from index `first` of /samples/t, nanoseconds. */
int osw_file_samples(const osw_file_t *file, uint64_t first, size_t n,
                     float *out, struct osw_error *err) OSW_MUST_CHECK;

/* Is there a dataset of that path?  Its group must be there. */
bool osw_file_has(const osw_file_t *file, const char *path);

/* Other tables: rows of a group, 0 when it is not there; a column of it, [n];
 * its texts, [n], borrowed; a text attribute, borrowed.  Returns 0, or -1 with
 * err set: it is not there, or not as long.
 */
uint64_t osw_file_rows(const osw_file_t *file, const char *group);
int osw_file_values(const osw_file_t *file, const char *path,
                    enum osw_column_type type, uint64_t n, void *out,
                    struct osw_error *err) OSW_MUST_CHECK;
int osw_file_texts(const osw_file_t *file, const char *path, uint64_t n,
                   const char *const **out,
                   struct osw_error *err) OSW_MUST_CHECK;
int osw_file_attribute(const osw_file_t *file, const char *object,
                       const char *name, const char **out,
                       struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_RESULTS_FILE_H */
