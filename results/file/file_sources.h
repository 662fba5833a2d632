/* results/file/file_sources.h - of which files a result file's cells were made
 *
 * Table /sources: of each op that was run its implementations, references,
 * gen_input.* and op.json, as they were when the run began.  Files of before
 * schema version 1.2 have none.
 *
 * Upstream: seal.c wrote it.  Downstream: merge_tables.c, history_load.c,
 * confirming.
 */
#ifndef OSW_RESULTS_FILE_SOURCES_H
#define OSW_RESULTS_FILE_SOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/error.h"
#include "results/file/file.h"
#include "results/journal/entry.h"

/* Append them to list[*n], which realloc() made or is NULL, each once; names
 * are borrowed from the file.  Returns 0, or -1 with err set; the list is the
 * caller's to free either way.
 */
int osw_file_sources(const osw_file_t *file, struct osw_run_source **list,
                     size_t *n, struct osw_error *err) OSW_MUST_CHECK;

/* The first n digits of its SHA-256, an even number, into out[n + 1]. */
void osw_file_sources_digits(const struct osw_run_source *source, int n,
                             char *out);

/* Is the file one that judges the op's implementations: op.json, gen_input.*, a
 * reference?
 */
bool osw_file_sources_is_rest(const char *file);

/* Do now[n] (files of ops as they are, from `where`) have the digests that the
 * file records?  Each must be recorded, once, and of ops in now[] each recorded
 * file that judges must be among them.  Returns 0, or -1 with err set:
 * OSW_BAD_INPUT, which names the file, the digest expected and the one found.
 */
int osw_file_sources_check(const osw_file_t *file,
                           const struct osw_run_source *now, size_t n,
                           const char *where,
                           struct osw_error *err) OSW_MUST_CHECK;

/* The value of a variable in /provenance; NULL: not there.  Borrowed. */
const char *osw_file_environment(const osw_file_t *file, const char *key);

#endif /* OSW_RESULTS_FILE_SOURCES_H */
