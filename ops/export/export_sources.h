/* ops/export/export_sources.h - sources of op folders, with the headers that
 * they include
 *
 * Upstream: ops/export/export_write.c.
 */
#ifndef OSW_OPS_EXPORT_SOURCES_H
#define OSW_OPS_EXPORT_SOURCES_H

#include "common/arena.h"
#include "common/error.h"

enum { OSW_EXPORT_MAX_SOURCES = 4096 };

/* `a/./b/../c` as `a/c`; NULL when it leads out of where it began. */
const char *osw_export_plain_path(osw_arena_t *arena,
                                  const char *path) OSW_MUST_CHECK;

/* Copy from/file and every header that it includes by "...", directly or not,
 * below `to`: a file of folder `op_dir` to to/ops/FOLDER/, one of a folder
 * beside it to to/ops/ as far away.  done [*n] are the copies so far, by their
 * places below `to`.  Returns 0, or -1 with err set: OSW_BAD_INPUT when two
 * files want one place, or a header lies outside of the root.
 */
struct osw_export_copies {
    size_t n;
    const char *place[OSW_EXPORT_MAX_SOURCES];
    const char *from[OSW_EXPORT_MAX_SOURCES];
};
int osw_export_copy_source(osw_arena_t *arena, const char *op_dir,
                           const char *folder, const char *file, const char *to,
                           struct osw_export_copies *done,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_EXPORT_SOURCES_H */
