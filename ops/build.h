/* ops/build.h - sources to shared objects, once: the build cache
 *
 * The name of an object is the hash of everything that went into it:
 * preprocessed source (so included headers count), words of the command,
 * compiler, processor, ABI version.  Ranks that want the same object at the
 * same time compile it once; the others wait.
 *
 * Upstream: worker/judge, `opsweep check`.  Downstream: dlopen in a sandbox.
 */
#ifndef OSW_OPS_BUILD_H
#define OSW_OPS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

enum {
    OSW_BUILD_MAX_OUTPUT = 8192, /* bytes of the compiler's words, with NUL */
    OSW_BUILD_MAX_PATH = 4096,
    OSW_BUILD_MAX_WORDS = 256, /* of one command */
};

/* Flags when OPSWEEP_CFLAGS is not set. */
#define OSW_BUILD_CFLAGS "-std=gnu11 -O3 -march=native -fopenmp"

/* Everything is borrowed for the call. */
struct osw_build_request {
    const char *source;         /* path; its suffix says the language */
    const char *words;          /* extra words behind the source; may be NULL */
    const char *include_dir;    /* folder that holds opsweep/op.h */
    const char *cache_dir;      /* NULL: see osw_build_cache_dir() */
    const char *const *defines; /* [n_defines] "NAME=VALUE" */
    size_t n_defines;
    int64_t deadline_ns;     /* from the call on; 0: 120 s */
    void (*tick)(void *arg); /* called at least every 100 ms; may be NULL */
    void *tick_arg;
};

struct osw_build_result {
    bool failed; /* the compiler did not take it: `output` says why */
    bool cached; /* it was there already */
    int64_t duration_ns;
    char path[OSW_BUILD_MAX_PATH];     /* of the object; "" when failed */
    char output[OSW_BUILD_MAX_OUTPUT]; /* the compiler's words, cut */
};

/* The object of a source; a .so is its own object.  Blocks; any process.
 * Words of the command are split at blanks, no shell is involved.  CC (default
 * cc) and OPSWEEP_CFLAGS (default OSW_BUILD_CFLAGS) are read from the
 * environment.
 *
 * Returns 0, also when the compiler refused (result->failed) or was stopped at
 * the deadline; or -1 with err set and *result undefined:
 *   OSW_BAD_INPUT  no compiler for that suffix; too many words
 *   OSW_SYSTEM     no such source, no compiler, cache cannot be written
 *   OSW_TIMEOUT    another process held this build beyond the deadline
 */
int osw_build_get(const struct osw_build_request *request,
                  struct osw_build_result *result,
                  struct osw_error *err) OSW_MUST_CHECK;

/* $OPSWEEP_CACHE, else $XDG_CACHE_HOME/opsweep, else ~/.cache/opsweep, else
 * /tmp/opsweep-UID, made (mode 0700) when it is not there.
 * Returns 0, or -1 with err set: OSW_SYSTEM; OSW_BAD_INPUT when it is not
 * ours alone to write.
 */
int osw_build_cache_dir(char *path, size_t size,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_H */
