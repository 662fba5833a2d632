/* ops/build/file_hash.h - SHA-256 of files, read once
 *
 * A table of this process keeps the hashes, so that a header that all ops
 * include is read once.  A file is read again when its device, inode, size
 * or one of its times changed, and while it is so young that it could change
 * without that being seen.
 *
 * Upstream: build_deps.c, build_command.c.
 */
#ifndef OSW_OPS_FILE_HASH_H
#define OSW_OPS_FILE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum { OSW_FILE_HASH_BYTES = 32 };

struct osw_file_hash {
    uint8_t sha256[OSW_FILE_HASH_BYTES];
    int64_t changed_unix_ns; /* when its bytes were last written */
};

/* Hash a regular file of at most 64 MiB.  Any thread.  Returns 0, or -1 with
 * err set: OSW_SYSTEM when it cannot be read; OSW_BAD_INPUT when it is no
 * such file.
 */
int osw_file_hash(const char *path, struct osw_file_hash *hash,
                  struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_FILE_HASH_H */
