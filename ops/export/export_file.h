/* ops/export/export_file.h - reading sources, writing a package's files
 *
 * Upstream: ops/export/export_write.c, export_sources.c; tests' cases.
 */
#ifndef OSW_OPS_EXPORT_FILE_H
#define OSW_OPS_EXPORT_FILE_H

#include <stddef.h>

#include "common/arena.h"
#include "common/error.h"

enum { OSW_EXPORT_MAX_FILE_BYTES = 512 << 20 };

/* A whole file of at most OSW_EXPORT_MAX_FILE_BYTES, with a NUL after it.  0,
 * or -1 with err set.
 */
int osw_export_read_bytes(osw_arena_t *arena, const char *path,
                          const void **bytes, size_t *n,
                          struct osw_error *err) OSW_MUST_CHECK;

/* A text: without NULs. */
int osw_export_read(osw_arena_t *arena, const char *path, const char **text,
                    struct osw_error *err) OSW_MUST_CHECK;

/* Write bytes to a new file, and the folders above it.  0, or -1 with err. */
int osw_export_put(const char *path, const void *bytes, size_t n,
                   struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_EXPORT_FILE_H */
