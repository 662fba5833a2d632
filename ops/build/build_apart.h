/* ops/build/build_apart.h - what the files of a root have in common, compiled
 * once
 *
 * A root may have files shared/apart_*.c.  They make functions which headers
 * beside them only declare when OSW_APART is defined, and which each file makes
 * for itself otherwise (ops/library/shared/apart.h).  What is compiled either
 * way does the same: names of objects do not tell them apart, and a campaign,
 * which compiles a file by itself, finds what was compiled with the others.
 *
 * Upstream: `opsweep build`.  Downstream: build.h.
 */
#ifndef OSW_OPS_BUILD_APART_H
#define OSW_OPS_BUILD_APART_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/build/build_request.h"

enum { OSW_BUILD_MAX_APART = 8 }; /* files of a root */

struct osw_build_apart {
    char sources[OSW_BUILD_MAX_APART][OSW_BUILD_MAX_PATH]; /* [n_sources] */
    struct osw_build_result results[OSW_BUILD_MAX_APART];  /* [n_sources] */
    size_t n_sources;
    const char *objects[OSW_BUILD_MAX_APART]; /* [n] for requests */
    size_t n; /* 0: there are none, or not all of them compile */
};

/* Compile what `root` has of them, as `common` says, with at most `jobs`
 * compilers at a time.  Those that do not compile are no error: then each file
 * is compiled by itself.  Returns 0, or -1 with err: OSW_NO_MEMORY, OSW_SYSTEM
 * (a folder that cannot be read), OSW_BAD_INPUT (more than
 * OSW_BUILD_MAX_APART).
 */
int osw_build_apart_make(const char *root,
                         const struct osw_build_request *common, uint32_t jobs,
                         struct osw_build_apart *out,
                         struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_APART_H */
