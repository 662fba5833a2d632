/* ops/build/build_cache.h - the folder of the build cache, and how it is shared
 *
 * Files appear in it whole (written aside, synced, renamed) and are never
 * changed; processes and nodes may share it.  Names are NAME.SUFFIX.
 *
 * Upstream: build.c.
 */
#ifndef OSW_OPS_BUILD_CACHE_H
#define OSW_OPS_BUILD_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"
#include "ops/build/build_request.h"

enum {
    OSW_BUILD_CACHE_MAX_DIR = OSW_BUILD_MAX_PATH - 256,
    OSW_BUILD_CACHE_MAX_TMP = OSW_BUILD_MAX_PATH - 128,
};

/* $OPSWEEP_CACHE, made absolute, else $XDG_CACHE_HOME/opsweep, else
 * ~/.cache/opsweep, else /tmp/opsweep-UID, made (mode 0700) when it is not
 * there.  Returns 0, or -1 with err set: OSW_SYSTEM; OSW_BAD_INPUT when it is
 * not ours alone to write.
 */
int osw_build_cache_dir(char *path, size_t size,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Use `given`, or the folder of osw_build_cache_dir() when it is NULL; made
 * when it is not there.  As that one returns and fails.
 */
int osw_build_cache_open(const char *given, char dir[OSW_BUILD_CACHE_MAX_DIR],
                         struct osw_error *err) OSW_MUST_CHECK;

/* Can it be written to, with room for what a compiler makes (4 MiB)?  `given`
 * as above.  Removes what compilers left in it that were killed more than a day
 * ago.  Blocks on the file system.  Returns 0, or -1 with err set, which
 * names the folder and the cure: OSW_BAD_INPUT, OSW_SYSTEM.
 */
int osw_build_cache_check(const char *given,
                          struct osw_error *err) OSW_MUST_CHECK;

/* The same for a command that may have nothing to compile: a folder that can
 * only be read is accepted if there are objects in it.
 */
int osw_build_cache_check_read(const char *given,
                               struct osw_error *err) OSW_MUST_CHECK;

/* The path of a file of the cache. */
void osw_build_cache_path(const char *dir, const char *name, const char *suffix,
                          char path[OSW_BUILD_MAX_PATH]);

/* Read a file of at most max_bytes, all of it, into *text; *written_unix_ns
 * (unless NULL) is when it came.  false: there is none such.
 */
bool osw_build_cache_read(const char *path, size_t max_bytes,
                          struct osw_text *text, int64_t *written_unix_ns);

/* Try to lock the build of NAME; never waits.  Returns 1 with *fd set, 0 when
 * another process holds the lock, or -1 with err set: OSW_SYSTEM.  The lock
 * ends with the process at the latest.
 */
int osw_build_cache_lock(const char *dir, const char *name, int *fd,
                         struct osw_error *err) OSW_MUST_CHECK;
void osw_build_cache_unlock(const char *dir, const char *name, int fd);

/* A folder in the cache to work in, and its end with the files in it. */
int osw_build_cache_tmp_make(const char *dir, char tmp[OSW_BUILD_CACHE_MAX_TMP],
                             struct osw_error *err) OSW_MUST_CHECK;
void osw_build_cache_tmp_remove(const char *tmp);

/* Write a file in such a folder, to be adopted. */
int osw_build_cache_put(const char *path, const char *bytes, size_t n,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Move the finished file `from` to `to`, both in the cache.  What was there is
 * replaced.  Waits for the disk: see adopt.h.  Both return 0, or -1 with err
 * set: OSW_SYSTEM.
 */
int osw_build_cache_adopt(const char *dir, const char *from, const char *to,
                          struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_CACHE_H */
