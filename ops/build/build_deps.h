/* ops/build/build_deps.h - the files that a build read, and what they come to
 *
 * A manifest is text: a first line, then one line per file, of a letter, a
 * blank and a path:
 *   s   from the folder of the source on
 *   i   from the include folder on
 *   a   as it stands
 *   t   as it stands, and stands for all of CUDA's headers: its size and time
 *       count, not its contents
 * It says where to look and nothing else.  What was built is named by the hash
 * of a key, of these lines and of the contents of these files: a wrong
 * manifest names nothing that exists.
 *
 * Upstream: build.c.  Both readers take any bytes.
 */
#ifndef OSW_OPS_BUILD_DEPS_H
#define OSW_OPS_BUILD_DEPS_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "common/text.h"

enum {
    OSW_BUILD_DEPS_MAX_BYTES = 1 << 18, /* of a manifest, or a rule */
    OSW_BUILD_DEPS_MAX_FILES = 4096,
    OSW_BUILD_NAME_SIZE = 65, /* hexadecimal digits, and NUL */
};

/* What paths are relative to; borrowed. */
struct osw_build_roots {
    const char *source;      /* the file that is compiled */
    const char *include_dir; /* folder that holds opsweep/op.h */
};

/* Turn the rule `TARGET: FILE ...` that a compiler wrote into a manifest,
 * added to *manifest; the source is left out.  nvcc lists its own headers too:
 * of these the first, cuda_runtime.h, becomes a t.  Returns 0, or -1 when
 * it is no such rule, or names what a manifest cannot.
 */
int osw_build_deps_from_rule(const char *rule, size_t n,
                             const struct osw_build_roots *roots,
                             struct osw_text *manifest) OSW_MUST_CHECK;

/* The name of what is built of `key` and of these files as they are now;
 * *newest_ns (unless NULL) is when the last of them was written, of the
 * calendar.  Returns 0, or -1 when it is no manifest or a file cannot be read.
 */
int osw_build_deps_name(const char *manifest, size_t n,
                        const struct osw_build_roots *roots, const char *key,
                        char name[OSW_BUILD_NAME_SIZE],
                        int64_t *newest_ns) OSW_MUST_CHECK;

#endif /* OSW_OPS_BUILD_DEPS_H */
